/** The instructions with arguments and folder filled in; arguments that have no place of their own come last. */
export function fillIn(
  instructions: string,
  { args, folder }: { readonly args: string; readonly folder: string },
): string {
  let hasPlace = false
  // In one pass: what is filled in is never looked at again.
  const text = instructions.replace(/\$ARGUMENTS\b|\$\{(?:HAFT|CLAUDE)_SKILL_DIR\}/g, (place) => {
    if (place !== '$ARGUMENTS') return folder
    hasPlace = true
    return args
  })
  return hasPlace || args === '' ? text : `${text.trimEnd()}\n\nArguments: ${args}`
}
