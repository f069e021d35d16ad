import { request } from "node:http";
import { TIMEOUT_MS } from "./send.js";

/** A form of a page with the values that a browser would send and the options of its fields. */
export interface PortalForm {
  action: string;
  fields: { name: string; value: string; choices: string[] }[];
}

export interface PortalAnswer {
  status: number;
  location: string | undefined;
  text: string;
  ms: number;
}

/** A minimal browser: stores cookies, requests pages, and submits forms with their tokens. */
export class PortalVisitor {
  readonly #port: number;
  readonly #account: { email: string; password: string };
  readonly #cookies = new Map<string, string>();

  constructor(port: number, account: { email: string; password: string }) {
    this.#port = port;
    this.#account = account;
  }

  /** Signs in with the form of the page. */
  async signIn(): Promise<void> {
    this.#cookies.clear();
    const form = formsIn((await this.get("/login")).text).find(({ action }) => action === "/login");
    if (form === undefined) throw new Error("The sign-in page has no form");
    const given: Record<string, string> = this.#account;
    const fields = form.fields.map(({ name, value }): [string, string] => [name, given[name] ?? value]);
    const { status, location } = await this.post("/login", new URLSearchParams(fields).toString());
    if (status !== 303 || !["/dashboard", "/start"].includes(location ?? ""))
      throw new Error(`The sign-in failed with status ${status}`);
  }

  get(path: string): Promise<PortalAnswer> {
    return this.#send("GET", path, {});
  }

  post(path: string, body: string, type = "application/x-www-form-urlencoded"): Promise<PortalAnswer> {
    return this.#send("POST", path, { "Content-Type": type }, body);
  }

  #send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<PortalAnswer> {
    const began = performance.now();
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          port: this.#port,
          host: "127.0.0.1",
          method,
          path,
          headers: { Accept: "text/html", ...headers, ...(cookie !== "" && { Cookie: cookie }) },
          timeout: TIMEOUT_MS,
        },
        (answer) => {
          for (const line of answer.headers["set-cookie"] ?? []) {
            const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
            if (name !== undefined && value !== undefined) this.#cookies.set(name, value);
          }
          const { statusCode: status = 0 } = answer;
          const { location } = answer.headers;
          let text = "";
          const done = () => resolve({ status, location, text, ms: performance.now() - began });
          answer.setEncoding("utf8").on("data", (chunk: string) => {
            text += chunk;
          });
          answer.on("end", done).on("error", reject);
          if (answer.headers["content-type"]?.startsWith("text/event-stream")) {
            done();
            answer.on("error", () => {}).destroy();
          }
        },
      );
      sent.on("timeout", () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

/** The forms of a page with their default values. */
export function formsIn(html: string): PortalForm[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].flatMap(([, head = "", inner = ""]) => {
    if (!/method="post"/i.test(head)) return [];
    // Browsers do not send the fragment.
    const [action = ""] = (attribute(head, "action") ?? "").split("#");
    return [{ action, fields: fieldsIn(inner) }];
  });
}

function fieldsIn(html: string): PortalForm["fields"] {
  const fields: PortalForm["fields"] = [];
  const parts = /<(input|button)\b([^>]*)>|<(select|textarea)\b([^>]*)>([\s\S]*?)<\/\3>/g;
  for (const [, single, singleHead = "", double, doubleHead = "", inner = ""] of html.matchAll(parts)) {
    const head = singleHead + doubleHead;
    const name = attribute(head, "name");
    if (name === undefined) continue;
    const choices = [...inner.matchAll(/<option\b([^>]*)>/g)].map(
      ([, option = ""]) => attribute(option, "value") ?? "",
    );
    const isChoice = /type="(checkbox|radio)"/.test(head);
    if (isChoice && !/\bchecked\b/.test(head)) {
      choices.push(attribute(head, "value") ?? "on");
      fields.push({ name, value: "", choices });
      continue;
    }
    const chosen = /<option\b([^>]*\bselected\b[^>]*)>/.exec(inner)?.[1];
    const initial = double === "textarea" ? unescaped(inner) : attribute(chosen ?? head, "value");
    fields.push({ name, value: initial ?? (single === "input" && isChoice ? "on" : ""), choices });
  }
  return fields;
}

function attribute(head: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(head)?.[1];
  return value === undefined ? undefined : unescaped(value);
}

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
