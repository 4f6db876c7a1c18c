/** Letters that are safe in a file name everywhere. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/

/**
 * Arguments as `parseArgs` can read them: the value of `--resume` may be left out there, and a prompt that begins
 * with a dash is not taken for an option where it stands right after `-p`.
 */
export function splitArguments(args: readonly string[]): {
  readonly args: readonly string[]
  readonly prompts: readonly string[]
} {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const kept: string[] = []
  const prompts: string[] = []
  for (const arg of args.slice(0, end)) {
    const before = kept.at(-1) ?? ''
    if (before === NO_ID && isSessionId(arg)) kept[kept.length - 1] = `${NO_ID}${arg}`
    else if (PRINT.has(before) && /^-.*\s/s.test(arg)) prompts.push(arg)
    else kept.push(RESUME.has(arg) ? NO_ID : arg)
  }
  return { args: [...kept, ...args.slice(end)], prompts }
}

const NO_ID = '--resume='
const RESUME: ReadonlySet<string> = new Set(['--resume', '-r'])
const PRINT: ReadonlySet<string> = new Set(['--print', '-p'])

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text)
}
