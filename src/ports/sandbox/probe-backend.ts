import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandPrefix, withInheritedFiles } from '../shell/confinement.js'
import type { Mount } from './mounts.js'

/**
 * Each test ends with its own number where something is not held as it should be. The first command waits for it: it
 * starts no program, and no other shell (a redirection that fails ends one only where the command is a special one).
 */
export const SEATBELT_TRIAL = `
echo x > "$1/in/file" || exit 11
{ echo x > "$1/file"; } 2>/dev/null && exit 12
{ true < "$1/secret"; } 2>/dev/null && exit 13`

export const BUBBLEWRAP_TRIAL = `${SEATBELT_TRIAL}
devices=
while read -r line; do case $line in *:*) devices="$devices+" ;; esac; done < /proc/net/dev
[ "$devices" = + ] || exit 14
powers=unknown filter=unknown
while read -r key value rest; do
  case $key in CapEff:) powers=$value ;; Seccomp:) filter=$value ;; esac
done < /proc/self/status
case $powers in *[!0]*|'') exit 15 ;; esac
[ -z "$2" ] || [ "$filter" = 2 ] || exit 16
{ true >> /proc/sys/kernel/core_pattern; } 2>/dev/null && exit 17`

const FAULTS: Readonly<Record<number, string>> = {
  11: 'a folder that should be writable is not',
  12: 'a write outside of the working folders was not refused',
  13: 'a hidden file could be read',
  14: 'the network is still there',
  15: 'commands keep the powers of root',
  16: 'the filter of system calls is not in force',
  17: 'the switches of the kernel can be written',
}

const TIME_LIMIT_MS = 10_000

interface ProbeOptions {
  /** A folder for the trial's files, outside of which nothing is touched; they stay until it goes, as removing what was mounted takes long. */
  readonly folder: string
  readonly trial: string
  readonly hasFilter?: boolean
  /** What runs a program with these mounts. */
  readonly hold: (mounts: readonly Mount[], cwd: string) => CommandPrefix
}

/** Holds a trial command and looks whether it really was held. Undefined where all is well, else what is not. */
export async function probeBackend({
  folder,
  trial,
  hasFilter = false,
  hold,
}: ProbeOptions): Promise<string | undefined> {
  const place = mkdtempSync(join(folder, 'probe-'))
  const [inside, secret] = [join(place, 'in'), join(place, 'secret')]
  mkdirSync(inside)
  writeFileSync(secret, 'secret')
  const prefix = hold(
    [
      { path: inside, kind: 'writable' },
      { path: secret, kind: 'hidden-file' },
    ],
    place,
  )
  const trialLine = ['/bin/sh', '-c', `${trial}\nexit 0`, 'sh', place, hasFilter ? 'yes' : '']
  const { code, complaint } = await run(prefix, trialLine)
  if (code !== 0) return FAULTS[code ?? -1] ?? probeFailure(complaint)
  if (existsSync(join(place, 'file'))) return FAULTS[12]
  return existsSync(join(inside, 'file')) ? undefined : FAULTS[11]
}

function run(
  prefix: CommandPrefix,
  line: readonly string[],
): Promise<{ readonly code: number | null; readonly complaint: string }> {
  const [program = '', ...args] = [...prefix.argvPrefix, ...line]
  return new Promise((resolve) => {
    const child = withInheritedFiles(prefix, ['ignore', 'ignore', 'pipe'], (stdio) =>
      spawn(program, args, { stdio, timeout: TIME_LIMIT_MS, killSignal: 'SIGKILL' }),
    )
    let complaint = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, 2000)
    })
    child.on('error', (error) => resolve({ code: null, complaint: error.message }))
    child.on('close', (code) => resolve({ code, complaint }))
  })
}

/** What is wrong, by what bubblewrap says, and what a person can do about it. */
const CAUSES: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR|apparmor/i,
    reason:
      'AppArmor keeps bubblewrap from making user namespaces: install its profile for bwrap (apparmor-profiles), or set kernel.apparmor_restrict_unprivileged_userns=0',
  },
  {
    pattern: /No permissions to creat\w* new namespace|Creating new namespace failed|unprivileged_userns_clone/i,
    reason:
      'user namespaces are switched off: set kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0, or let the container make namespaces',
  },
  {
    pattern: /mount proc|Can't mount proc|Failed to mount \/?proc|pivot_root|make .* slave/i,
    reason:
      'a container or another sandbox around Haft lets bubblewrap mount nothing: give it CAP_SYS_ADMIN, or run Haft outside of it',
  },
  { pattern: /Unknown option/i, reason: 'bubblewrap is too old: version 0.5 or later is needed' },
  {
    pattern: /seccomp/i,
    reason: 'the kernel takes no filter of system calls (seccomp)',
  },
]

/** Says in words why bubblewrap did not start. */
export function probeFailure(complaint: string): string {
  const first = complaint.trim().split('\n')[0]?.slice(0, 200) ?? ''
  const known = CAUSES.find(({ pattern }) => pattern.test(complaint))
  if (known !== undefined) return `${known.reason} (${first})`
  return first === '' ? 'bubblewrap ended without a word' : `bubblewrap does not start: ${first}`
}
