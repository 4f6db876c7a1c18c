import { approveServer } from '../../../mcp/config/approvals.js'
import type { CommandIo } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { parseOptions } from '../../parse-options.js'
import { UsageError } from '../../usage-error.js'
import { warn } from '../../warn.js'
import { findServer, loadServers } from './load-servers.js'
import { approvedText } from './shown-server.js'

/** Lets a server of this project start, as it is written now. */
export async function runApprove(io: CommandIo): Promise<number> {
  const { positionals } = parseOptions(io.args, {})
  if (positionals.length > 1) throw new UsageError('say one server: haft mcp approve NAME.')
  const loaded = await loadServers(io, await io.host())
  const [name] = positionals
  const candidates = loaded.servers.filter(({ state }) => state === 'untrusted' || state === 'unapproved')
  const found = candidates.find((each) => each.name === name) ?? findServer(loaded, name)
  if (found.server === undefined) throw new UsageError(`${found.name} cannot be started: ${found.reason}.`)
  const { written, project } = found.server
  if (project === undefined) {
    io.out(`${found.name} needs no approval: you configured it yourself.\n`)
    return EXIT.done
  }
  await approveServer(loaded.files, project, found.name, written)
  io.out(`Approved ${found.name}: ${approvedText(written)}\n`)
  if (found.state === 'untrusted')
    warn(io, `${project} is not trusted, so that its servers are not started (--trust trusts it for one run).`)
  return EXIT.done
}
