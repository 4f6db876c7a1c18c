import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandPrefix, withInheritedFiles } from '../shell/confinement.js'
import type { Mount } from './mounts.js'

/**
 * Each failing check exits with its own code. The script uses only builtins, because the first command waits for the probe. (A
 * failed redirection ends the shell only for a special builtin such as `:`.)
 */
export const SEATBELT_PROBE = `
echo x > "$1/in/file" || exit 11
{ echo x > "$1/file"; } 2>/dev/null && exit 12
{ true < "$1/secret"; } 2>/dev/null && exit 13`

export const BUBBLEWRAP_PROBE = `${SEATBELT_PROBE}
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

const FAULT_BY_EXIT_CODE: Readonly<Record<number, string>> = {
  11: 'a folder that should be writable is not',
  12: 'a write outside the working folders was not refused',
  13: 'a hidden file could be read',
  14: 'the network can be reached',
  15: 'commands keep the capabilities of root',
  16: 'the system call filter is not active',
  17: 'kernel settings can be written',
}

const MAX_PROBE_MS = 10_000

interface ProbeOptions {
  /** A folder for the files of the probe. The probe leaves them there, because removing mount points is slow. */
  readonly folder: string
  readonly script: string
  readonly hasFilter?: boolean
  /** Returns the prefix that runs a program with these mounts. */
  readonly confine: (mounts: readonly Mount[], cwd: string) => CommandPrefix
}

/** Runs a probe command and checks that it is confined. Resolves to the problem, or undefined if there is none. */
export async function probeBackend({
  folder,
  script,
  hasFilter = false,
  confine,
}: ProbeOptions): Promise<string | undefined> {
  const probeFolder = mkdtempSync(join(folder, 'probe-'))
  const [inside, secret] = [join(probeFolder, 'in'), join(probeFolder, 'secret')]
  mkdirSync(inside)
  writeFileSync(secret, 'secret')
  const prefix = confine(
    [
      { path: inside, kind: 'writable' },
      { path: secret, kind: 'hidden-file' },
    ],
    probeFolder,
  )
  const probeCommand = ['/bin/sh', '-c', `${script}\nexit 0`, 'sh', probeFolder, hasFilter ? 'yes' : '']
  const { code, errorOutput } = await run(prefix, probeCommand)
  if (code !== 0) return FAULT_BY_EXIT_CODE[code ?? -1] ?? explainProbeFailure(errorOutput)
  if (existsSync(join(probeFolder, 'file'))) return FAULT_BY_EXIT_CODE[12]
  return existsSync(join(inside, 'file')) ? undefined : FAULT_BY_EXIT_CODE[11]
}

function run(
  prefix: CommandPrefix,
  command: readonly string[],
): Promise<{ readonly code: number | null; readonly errorOutput: string }> {
  const [program = '', ...args] = [...prefix.argvPrefix, ...command]
  return new Promise((resolve) => {
    const child = withInheritedFiles(prefix, ['ignore', 'ignore', 'pipe'], (stdio) =>
      spawn(program, args, { stdio, timeout: MAX_PROBE_MS, killSignal: 'SIGKILL' }),
    )
    let errorOutput = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errorOutput = (errorOutput + text).slice(0, 2000)
    })
    child.on('error', (error) => resolve({ code: null, errorOutput: error.message }))
    child.on('close', (code) => resolve({ code, errorOutput }))
  })
}

/** Known errors of bubblewrap, each with an explanation and, if possible, advice. */
const PROBE_FAILURE_CAUSES: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR|apparmor/i,
    reason:
      'AppArmor prevents bubblewrap from creating user namespaces: install its profile for bwrap (apparmor-profiles), or set kernel.apparmor_restrict_unprivileged_userns=0',
  },
  {
    pattern: /No permissions to creat\w* new namespace|Creating new namespace failed|unprivileged_userns_clone/i,
    reason:
      'user namespaces are disabled: set kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0, or allow the container to create namespaces',
  },
  {
    pattern: /mount proc|Can't mount proc|Failed to mount \/?proc|pivot_root|make .* slave/i,
    reason:
      'bubblewrap cannot mount anything, because Haft runs in a container or another sandbox: grant CAP_SYS_ADMIN, or run Haft outside it',
  },
  { pattern: /Unknown option/i, reason: 'bubblewrap is too old: install version 0.5 or later' },
  {
    pattern: /seccomp/i,
    reason: 'the kernel does not support system call filters (seccomp)',
  },
]

/** Explains why bubblewrap did not start. */
export function explainProbeFailure(errorOutput: string): string {
  const firstLine = errorOutput.trim().split('\n')[0]?.slice(0, 200) ?? ''
  const cause = PROBE_FAILURE_CAUSES.find(({ pattern }) => pattern.test(errorOutput))
  if (cause !== undefined) return `${cause.reason} (${firstLine})`
  return firstLine === '' ? 'bubblewrap ended without an error message' : `bubblewrap cannot be started: ${firstLine}`
}
