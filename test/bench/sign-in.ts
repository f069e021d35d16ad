/** Signs in as the owner; returns the cookies of the session. */
export async function signInTo(url: string, password: string): Promise<string> {
  const form = await fetch(`${url}/login`, { headers: { accept: "text/html" } });
  const first = cookiesOf(form);
  const [, csrf = ""] = /_csrf" value="([^"]+)"/.exec(await form.text()) ?? [];
  const answer = await fetch(`${url}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { accept: "text/html", origin: url, cookie: first.join("; ") },
    body: new URLSearchParams({ _csrf: csrf, email: "owner@localhost", password }),
  });
  if (answer.status !== 303) throw new Error(`The sign-in answered ${answer.status}.`);
  // The cookie of the session has the name of the one before.
  const cookies = new Map([...first, ...cookiesOf(answer)].map((cookie) => [cookie.split("=")[0], cookie]));
  return [...cookies.values()].join("; ");
}

function cookiesOf(response: Response): string[] {
  return response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!);
}
