import { fileComplaints } from './file-complaints.js'
import type { HeldCommand, MachineFacts } from './held-command.js'
import { networkComplaints } from './network-complaints.js'
import type { HostRefusal } from './refusal-log.js'

/** More would be noise: the first refusals are the cause of the others. */
const MAX_REFUSALS = 5

/** A failure speaks at the end of what a command prints. */
const MAX_OUTPUT = 200_000

/** Says what the sandbox seems to have refused, and what can be done; empty where it seems to have had no part in it. */
export function explainRefusals(
  { output, exitCode }: { readonly output: string; readonly exitCode: number | null },
  held: HeldCommand,
  facts: MachineFacts,
): readonly string[] {
  const lines = output.slice(-MAX_OUTPUT).split('\n')
  const failed = exitCode !== 0
  const found = new Set([
    ...held.hosts.map(hostRefusal),
    ...(failed ? networkComplaints(lines, held, facts) : []),
    ...(failed ? fileComplaints(lines, held, facts) : []),
  ])
  return found.size === 0 ? [] : [...[...found].slice(0, MAX_REFUSALS), wayOut(held)]
}

function hostRefusal({ host, reason }: HostRefusal): string {
  if (reason === 'domain')
    return `The sandbox refused to reach ${host}: it is not in sandbox.allowedDomains of the settings, where the user could add it.`
  return `The sandbox refused to reach ${host}: it leads to an address of this machine or its network, which sandbox.allowedDomains would have to name in full.`
}

function wayOut({ allowsUnsandboxed, confinement }: HeldCommand): string {
  if (!allowsUnsandboxed)
    return 'The settings let no command leave the sandbox; find another way, or tell the user what is needed.'
  const why = confinement === 'read-only' ? ' (it was held because it looked as if it only read)' : ''
  return `If the command cannot do without this, run it again with dangerouslyDisableSandbox: true${why}; the user is asked first.`
}
