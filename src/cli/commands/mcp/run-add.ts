import { approveServer } from '../../../mcp/config/approvals.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { privateFiles } from '../../../settings/files/private-files.js'
import { realPath } from '../../../settings/files/real-path.js'
import { mcpFolder } from '../../../settings/files/settings-files.js'
import { addServer } from '../../../settings/save/server-files.js'
import { isProjectTrusted } from '../../../settings/trust.js'
import type { CommandIo } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { warn } from '../../warn.js'
import { serverArguments } from './server-arguments.js'

/** Writes a server to a settings file. Whoever adds it to the project has approved it. */
export async function runAdd(io: CommandIo): Promise<number> {
  const added = serverArguments(io.args)
  const { name, scope, entry } = added
  const host = await io.host()
  const home = await realPath(host.homeDir)
  const projectRoot = await findProjectRoot({ cwd: host.cwd, home })
  const file = await addServer(added, { projectRoot, home })
  io.out(`Added ${name} to ${file}.\n`)
  if (scope === 'user') return EXIT.done
  await approveServer(privateFiles(mcpFolder(home)), projectRoot, name, entry)
  if (!(await isProjectTrusted(projectRoot, { home })))
    warn(
      io,
      `${projectRoot} is not trusted, so that its servers are not started (--trust trusts it for one run; --scope user needs no trust).`,
    )
  return EXIT.done
}
