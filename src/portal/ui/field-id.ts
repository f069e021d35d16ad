/** Id of the element of a field; `scope` distinguishes fields with the same name in several forms of a page. */
export function fieldId(name: string, scope?: string): string {
  return ["field", ...(scope === undefined ? [] : [scope]), name].join("-").replace(/[^\w-]/g, "_");
}
