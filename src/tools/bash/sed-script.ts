/** Lines by number, or by a text that means nothing but itself. */
const ADDRESS = String.raw`(?:\d+|\$|/[\w :=,@%#-]+/)`
const ADDRESSES = new RegExp(`^(?:${ADDRESS}(?:,(?:${ADDRESS}|\\+\\d+))?)?[ ]*`)
/** All but those that write another file or run what they matched. */
const FLAGS = /^[gpiIm\d]*$/

/**
 * Whether a script of sed does nothing but replace and delete text. It is run before anybody was asked, so that what is
 * not plainly harmless is no such script: a character that ends a part must stand exactly where it has to.
 */
export function isPlainSedScript(script: string): boolean {
  if (isPlainCommand(script)) return true
  // A bracket may hide a character that looks like an end, and then the next command would not begin where it seems to.
  if (script.includes('[')) return false
  const commands = script.split(/[;\n]/)
  return commands.length > 1 && commands.every((command) => isPlainCommand(command))
}

function isPlainCommand(text: string): boolean {
  const trimmed = text.trim()
  const address = ADDRESSES.exec(trimmed)?.[0] ?? ''
  const command = trimmed.slice(address.length)
  if (command === 'd') return address !== ''
  return command.startsWith('s') && isPlainSubstitution(command)
}

/** With three ends in all there is only one way to read it, whatever sed thinks of brackets. */
function isPlainSubstitution(command: string): boolean {
  const end = command.charAt(1)
  if (!/^[/|,#@%:!~+_]$/.test(end)) return false
  const [, pattern, replacement, flags, ...more] = command.split(end)
  if (pattern === undefined || replacement === undefined || flags === undefined || more.length > 0) return false
  if (pattern === '' || pattern.endsWith('\\') || replacement.endsWith('\\')) return false
  return !`${pattern}${replacement}`.includes('\n') && FLAGS.test(flags)
}
