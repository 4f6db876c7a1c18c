type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** What was set: a member that is undefined would win over a default in a spread. */
export function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}
