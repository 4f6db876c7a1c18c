type Fields = Readonly<Record<string, unknown>>

/**
 * Returns an object with the given fields, each taken from the first of its old names that has a value. Fields without a value
 * and all other fields are left out.
 */
export function renameFields(fields: Fields, oldNames: Readonly<Record<string, readonly string[]>>): Fields {
  const renamedFields: Record<string, unknown> = {}
  for (const [name, candidates] of Object.entries(oldNames)) {
    const oldName = candidates.find((each) => Object.hasOwn(fields, each) && (fields[each] ?? undefined) !== undefined)
    if (oldName !== undefined) renamedFields[name] = fields[oldName]
  }
  return renamedFields
}
