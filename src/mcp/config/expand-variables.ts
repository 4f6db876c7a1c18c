/** A variable that a value needs and nobody set. */
export class MissingVariableError extends Error {
  override readonly name = 'MissingVariableError'
  constructor(readonly variable: string) {
    super(`the variable ${variable} is not set; set it, or write \${${variable}:-default}`)
  }
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/** Fills in `${NAME}` and `${NAME:-default}`, as a shell does: the default stands for an empty value, too. */
export function expandVariables(text: string, variables: Readonly<Record<string, string | undefined>>): string {
  return text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (fallback !== undefined) return value || fallback
    if (value === undefined) throw new MissingVariableError(name)
    return value
  })
}
