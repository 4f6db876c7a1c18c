import { execFileSync } from 'node:child_process'
import { accessSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { safeGitEnvironment } from '../../src/shell/git/safe-git-environment.js'

/** The observed effects of one command. */
export interface Observation {
  readonly command: string
  readonly exitCode: number
  /** Programs that ran, apart from the shell. */
  readonly programs: readonly string[]
  /** System calls that write, connect, send a signal, or execute a file in the folder. */
  readonly violations: readonly string[]
}

export interface ObservedFolders {
  /** The folder in which the commands run. */
  readonly workFolder: string
  readonly home: string
  /** No command may open a file in this folder. */
  readonly hiddenFolder?: string
  /** The folder for the script and the trace, which is not observed. */
  readonly traceFolder: string
}

const TRACED_SYSTEM_CALLS = [
  'execve,execveat,connect,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir',
  'link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate',
  'utime,utimes,utimensat,futimesat,setxattr,lsetxattr,fsetxattr,removexattr,mknod,mknodat,kill,tgkill',
].join(',')

/** Devices that discard or display output, and /proc files of processes. */
const HARMLESS_FILES = /"(\/dev\/(null|tty|stdout|stderr)|\/proc\/(self|thread-self|\d+)\/[a-z_/]*)"/
/** Name service caches of the C library, which are queried locally over a Unix socket. */
const HARMLESS_SOCKETS = /sun_path="\/(var\/)?run\/(nscd\/socket|systemd\/userdb\/[^"]*)"/

/** Runs each command separately, all under one trace, without network if bubblewrap is installed. */
export function observeCommands(
  commands: readonly string[],
  folders: ObservedFolders,
  maxSeconds = 30,
): readonly Observation[] {
  const script = join(folders.traceFolder, 'script.sh')
  const trace = join(folders.traceFolder, 'trace')
  writeFileSync(
    script,
    `exec 3>&1\n${commands.map((command, index) => createScriptLines(command, index, maxSeconds)).join('\n')}\n`,
  )
  const strace = [
    'strace',
    '-f',
    '-y',
    '-qq',
    '--seccomp-bpf',
    '-s',
    '200',
    '-e',
    `trace=${TRACED_SYSTEM_CALLS}`,
    '-o',
    trace,
  ]
  const [program = '', ...args] = [...buildConfinementArgs(folders), ...strace, 'bash', script]
  const output = execFileSync(program, args, {
    cwd: folders.workFolder,
    env: createEnvironment(folders),
    encoding: 'utf8',
  })
  const exitCodes = new Map(output.split('\n').map((line) => line.split(' ') as [string, string]))
  const parts = readFileSync(trace, 'utf8').split(/^.*"haft-example".*$/m)
  return commands.map((command, index) => {
    const calls = (parts[index + 1] ?? '0 no_trace()').split('\n')
    return {
      command,
      exitCode: Number(exitCodes.get(String(index)) ?? -1),
      programs: calls.flatMap((line) => /execve\("([^"]+)".* = 0$/.exec(line)?.[1] ?? []),
      violations: calls.filter((line) => isViolation(line, folders)),
    }
  })
}

/** The lines that run one command, after a marker program that does nothing but separate the commands in the trace. */
function createScriptLines(command: string, index: number, maxSeconds: number): string {
  const quotedCommand = `'${command.replaceAll("'", "'\\''")}'`
  return `/bin/true haft-example ${index}\ntimeout ${maxSeconds} bash -c ${quotedCommand} </dev/null >/dev/null 2>&1\necho "${index} $?" >&3`
}

function isViolation(line: string, { workFolder, hiddenFolder }: ObservedFolders): boolean {
  if (hiddenFolder !== undefined && / = \d+</.test(line) && line.includes(`<${hiddenFolder}`)) return true
  if (/\bexecve(at)?\(/.test(line)) return line.includes(`"${workFolder}`) || /execve\("[^/]/.test(line)
  if (/\bconnect\(/.test(line)) return !HARMLESS_SOCKETS.test(line)
  // An attempt to open a folder for writing always fails.
  if (/\bopen(at|at2)?\(/.test(line))
    return (
      !line.includes('= -1 EISDIR') &&
      /O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/.test(line) &&
      !HARMLESS_FILES.test(line)
    )
  // Signal 0 only checks whether a process exists, timeout ends its own group, and programs send the others to themselves.
  if (/\b(kill|tgkill)\(/.test(line)) return !/, 0\)|kill\(0, |SIG(?:CONT|TERM|PIPE|URG|ABRT)/.test(line)
  return /^\d+\s+[a-z0-9_]+\(/.test(line) && !/ftruncate\(\d+<\/dev\/null>/.test(line)
}

function buildConfinementArgs({ workFolder, home, traceFolder, hiddenFolder }: ObservedFolders): readonly string[] {
  const root = [
    'bwrap',
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
  ]
  const shownFolders = [workFolder, home, traceFolder, ...(hiddenFolder === undefined ? [] : [hiddenFolder])]
  const bindArgs = shownFolders.flatMap((folder) => ['--bind', folder, folder])
  const bwrapArgs = [...root, ...bindArgs, '--unshare-net', '--unshare-pid', '--chdir', workFolder]
  try {
    accessSync('/usr/bin/bwrap')
    execFileSync('bwrap', [...bwrapArgs.slice(1), 'true'], { stdio: 'ignore' })
    return bwrapArgs
  } catch {
    // Without bubblewrap the trace is the only check.
    return []
  }
}

function createEnvironment({ home }: ObservedFolders): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
    HOME: home,
    USER: 'dev',
    LC_ALL: 'C.UTF-8',
    TERM: 'dumb',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    ...safeGitEnvironment,
  }
}
