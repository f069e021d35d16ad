/** Id of a field's element: its name, and where one name stands in several forms of a page, the form's scope before it. */
export function fieldId(name: string, scope?: string): string {
  return ["field", ...(scope === undefined ? [] : [scope]), name].join("-").replace(/[^\w-]/g, "_");
}
