/** The fields of a submitted form, as typed. */
export class FormBody {
  readonly #fields: URLSearchParams;

  /** `text`: the body as application/x-www-form-urlencoded; a GET page has an empty one. */
  constructor(text = "") {
    this.#fields = new URLSearchParams(text);
  }

  /** Whether the form has the field at all, be it empty. */
  has(name: string): boolean {
    return this.#fields.has(name);
  }

  /** The field as typed, without spaces around it; of several with one name the last; empty where there is none. */
  text(name: string): string {
    return this.raw(name).trim();
  }

  /** All values of the fields with one name, without empty ones. */
  texts(name: string): string[] {
    return this.#fields.getAll(name).filter((text) => text !== "");
  }

  /** The field exactly as typed: for passwords, in which spaces count. */
  raw(name: string): string {
    return this.#fields.getAll(name).at(-1) ?? "";
  }

  /** Whether a checkbox is ticked; its hidden companion says `false` where it is not. */
  isTicked(name: string): boolean {
    return ["true", "on", "1", "yes"].includes(this.text(name).toLowerCase());
  }

  /** Names of all fields, each once, in order of the form. */
  names(): string[] {
    return [...new Set(this.#fields.keys())];
  }
}
