import type { ToolContext } from '../contract/tool/tool.js'
import { quoteForShell } from '../shared/quote-for-shell.js'

/** Whether the working folder was removed, so that no command can start there any more; asked from a folder that is there. */
export async function isFolderGone(
  { shell, cwd, toolUseId, signal }: ToolContext<'shell'>,
  elsewhere: string,
): Promise<boolean> {
  const command = `[ -d ${quoteForShell(cwd)} ]`
  const request = { id: `${toolUseId}-folder`, command, cwd: elsewhere, timeoutMs: 10_000 }
  try {
    const { exitCode } = await shell.run({ ...request, confinement: 'read-only' }, { signal })
    return exitCode === 1
  } catch {
    // Nothing can be run here at all: what failed first is the better answer.
    return false
  }
}
