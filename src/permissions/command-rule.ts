/**
 * Programs whose next word is a verb of its own, with the verbs that run nothing the caller chooses.
 * What is not listed is suggested word for word, so a gap here costs a question.
 */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  git: ['add', 'restore', 'rm', 'mv', 'status', 'switch'],
  npm: ['ls', 'run', 'test'],
  pnpm: ['list', 'run', 'test'],
  yarn: ['list', 'run', 'test'],
  bun: ['run'],
  docker: ['images', 'inspect', 'logs', 'ps'],
  gh: ['issue', 'pr', 'release', 'run'],
}
/** Verbs that name a script or a kind behind them, which belongs to the prefix. */
const NEEDS_THIRD_WORD: ReadonlySet<string> = new Set([
  ...['npm run', 'pnpm run', 'yarn run', 'bun run', 'gh issue', 'gh pr', 'gh release', 'gh run'],
])
const PLAIN_WORD = /^[A-Za-z0-9_][A-Za-z0-9_:./@-]*$/

/**
 * The narrowest useful rule content for a command that a person may not want to be asked about again:
 * a known verb with anything behind it, else the command itself. Never a prefix that could run any command.
 */
export function commandRule(command: string, { isExact = false } = {}): string | undefined {
  const prefix = isExact ? undefined : knownPrefix(command.split(' '))
  if (prefix !== undefined) return `${prefix}:*`
  // A star, or a colon before one, would make more of the rule than the command that was asked about.
  return command === '' || /[*\n\r\0]/.test(command) ? undefined : command
}

function knownPrefix([program = '', verb = '', third = '']: readonly string[]): string | undefined {
  const verbs = Object.hasOwn(VERBS, program) ? VERBS[program] : undefined
  if (verbs?.includes(verb) !== true) return undefined
  const prefix = `${program} ${verb}`
  if (!NEEDS_THIRD_WORD.has(prefix)) return prefix
  return PLAIN_WORD.test(third) ? `${prefix} ${third}` : undefined
}
