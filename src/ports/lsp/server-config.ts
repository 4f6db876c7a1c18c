import * as z from 'zod'

/** A language server as settings have it. */
export interface ServerConfig {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The language of files by the end of their names: `.ts` is `typescript`. */
  readonly extensions: Readonly<Record<string, string>>
  readonly initializationOptions?: unknown
}

const schema = () =>
  z.object({
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    extensions: z.record(z.string().regex(/^\./), z.string()),
    initializationOptions: z.unknown().optional(),
  })

/** The servers that settings name; one that is wrongly written is left out and told of. */
export function parseServers(
  settings: Readonly<Record<string, unknown>>,
  warn: (problem: string) => void,
): readonly ServerConfig[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const parsed = schema().safeParse(value)
    if (parsed.success) return [{ name, ...parsed.data }]
    warn(`The language server ${name} is left out: ${z.prettifyError(parsed.error)}`)
    return []
  })
}
