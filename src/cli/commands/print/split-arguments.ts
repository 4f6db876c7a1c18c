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
  const kept: string[] = []
  const prompts: string[] = []
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? ''
    const next = args[index + 1]
    if (arg === '--') return { args: [...kept, ...args.slice(index)], prompts }
    if (arg === '--resume' || arg === '-r') {
      const hasId = next !== undefined && SESSION_ID.test(next)
      kept.push(`--resume=${hasId ? next : ''}`)
      if (hasId) index++
    } else if ((arg === '-p' || arg === '--print') && next !== undefined && /^-.*\s/s.test(next)) {
      kept.push(arg)
      prompts.push(next)
      index++
    } else kept.push(arg)
  }
  return { args: kept, prompts }
}

export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text)
}
