import type { CommandAnalysis } from './analyse-command.js'

/** Programs whose next word is a verb, with the verbs that run nothing which the words behind them could choose. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  git: ['add', 'branch', 'commit', 'mv', 'restore', 'rm', 'stash', 'status', 'switch', 'tag'],
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
 * The content of the narrowest rule that would have allowed the line, for a person who does not want to be asked again:
 * a known verb with anything behind it, else the command itself. None where no rule can cover the line, or several
 * parts would each need their own. Never a prefix that amounts to any command.
 */
export function suggestRule({ commands, isUnresolved }: CommandAnalysis): string | undefined {
  const needed = commands.filter((each) => !each.isReadOnly)
  const [only] = needed
  const text = only?.asWritten[0]
  if (isUnresolved || needed.length !== 1 || only === undefined || text === undefined) return undefined
  if (text.resolvedLength < text.text.length || only.redirects.length > 0) return undefined
  return knownPrefix(text.text.split(' ')) ?? exactContent(text.text)
}

function knownPrefix([program = '', verb = '', third = '']: readonly string[]): string | undefined {
  const verbs = Object.hasOwn(VERBS, program) ? VERBS[program] : undefined
  if (verbs?.includes(verb) !== true) return undefined
  const prefix = `${program} ${verb}`
  if (!NEEDS_THIRD_WORD.has(prefix)) return `${prefix}:*`
  return PLAIN_WORD.test(third) ? `${prefix} ${third}:*` : undefined
}

/** A star, or a colon before one, would make more of the rule than the command that was asked about. */
function exactContent(text: string): string | undefined {
  return text === '' || /[*\n\r\0]/.test(text) ? undefined : text
}
