/** The icon of the portal: a clock. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<circle cx="16" cy="16" r="14" fill="#0b6e4f"/>
<path d="M16 7v9l6 4" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;

/** The same clock without an edge: systems cut it to their own shape within the inner 80 %. */
export const MASKABLE_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<path d="M0 0h32v32H0z" fill="#0b6e4f"/>
<circle cx="16" cy="16" r="10" fill="none" stroke="#fff" stroke-width="2"/>
<path d="M16 10v6l4 3" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;

/** The web app manifest (W3C): browsers offer to install the portal with it. There is no service worker. */
export const MANIFEST = JSON.stringify({
  id: "/",
  name: "hourgate",
  short_name: "hourgate",
  start_url: "/dashboard",
  scope: "/",
  display: "standalone",
  background_color: "#f6f7f6",
  theme_color: "#0b6e4f",
  icons: [
    { src: "/portal/icon.svg", type: "image/svg+xml", sizes: "any", purpose: "any" },
    { src: "/portal/icon-maskable.svg", type: "image/svg+xml", sizes: "any", purpose: "maskable" },
  ],
});
