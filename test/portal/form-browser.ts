export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  location: string | null;
}

/** A browser without scripts: it keeps cookies, sends forms with the token of the last page, follows nothing. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #url: string;
  readonly #headers: Record<string, string>;
  csrf = "";

  constructor(url: string, headers: Record<string, string>) {
    this.#url = url;
    this.#headers = { accept: "text/html", "accept-language": "en", ...headers };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send(path, { headers });
  }

  /** Sends a form as the last page would; `_csrf: undefined` leaves the token out. */
  post(
    path: string,
    fields: Record<string, string | undefined> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const all = Object.entries({ _csrf: this.csrf, ...fields }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    return this.#send(path, { method: "POST", body: new URLSearchParams(all), headers });
  }

  /** Sends a form with files, as a browser does. */
  upload(
    path: string,
    files: Record<string, string | Uint8Array<ArrayBuffer>>,
    fields: Record<string, string> = {},
  ) {
    const body = new FormData();
    for (const [name, value] of Object.entries({ _csrf: this.csrf, ...fields })) body.append(name, value);
    for (const [name, content] of Object.entries(files)) body.append("files", new Blob([content]), name);
    return this.#send(path, { method: "POST", body });
  }

  async send(path: string, init: RequestInit): Promise<Answer> {
    return this.#send(path, init);
  }

  async #send(path: string, init: RequestInit): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(this.#url + path, {
      ...init,
      redirect: "manual",
      headers: { ...this.#headers, cookie, ...(init.headers as Record<string, string>) },
    });
    for (const set of response.headers.getSetCookie()) {
      const [name = "", value = ""] = set.split(";")[0]!.split("=");
      this.cookies.set(name, value);
    }
    const text = await response.text();
    this.csrf = /_csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.csrf;
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: response.headers.get("location"),
    };
  }
}
