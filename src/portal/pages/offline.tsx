import type { Page } from "../context.js";
import { publicPage } from "../page.js";
import { Layout } from "../ui/layout.js";

/** The page that the service worker shows while the gateway cannot be reached; stored in the browser, so it says nothing of the home. */
export function offlinePages(): Page[] {
  return [
    publicPage.get("/offline", (context) => {
      const { offline } = context.texts;
      const session = { ...context.session, takeFlash: () => undefined };
      return {
        page: (
          <Layout context={{ ...context, sites: [], session }} title={offline.title}>
            <p>{offline.text}</p>
            <p>
              {/* biome-ignore lint/a11y/useValidAnchor: the address that was asked for. */}
              <a class="button" href="">
                {offline.retry}
              </a>
            </p>
          </Layout>
        ),
      };
    }),
  ];
}
