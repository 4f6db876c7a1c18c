import { execFileSync } from 'node:child_process'
import { accessSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quietGitEnvironment } from '../../src/shell/git/quiet-git-environment.js'

/** The observed effects of one command. */
export interface Observation {
  readonly command: string
  readonly exitCode: number
  /** System calls that write, connect, send a signal, or execute a file in the folder. */
  readonly violations: readonly string[]
}

export interface ObservedFolders {
  /** The folder in which the commands run. */
  readonly workFolder: string
  readonly home: string
  /** For the script and the trace; not observed. */
  readonly traceFolder: string
}

const TRACED_SYSTEM_CALLS = [
  'execve,execveat,connect,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir',
  'link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate',
  'utime,utimes,utimensat,futimesat,setxattr,lsetxattr,fsetxattr,removexattr,mknod,mknodat,kill,tgkill',
].join(',')

/** Devices that discard or display output, and /proc files of processes. */
const HARMLESS_FILES = /"(\/dev\/(null|tty|stdout|stderr)|\/proc\/(self|thread-self|\d+)\/[a-z/]*)"/
/** Name service caches of the C library, which are queried locally over a Unix socket. */
const HARMLESS_SOCKETS = /sun_path="\/(var\/)?run\/(nscd\/socket|systemd\/userdb\/[^"]*)"/

/** Runs each command separately, all under one trace, without network if bubblewrap is installed. */
export function observeCommands(commands: readonly string[], folders: ObservedFolders): readonly Observation[] {
  const script = join(folders.traceFolder, 'script.sh')
  const trace = join(folders.traceFolder, 'trace')
  writeFileSync(script, `exec 3>&1\n${commands.map(scriptLinesOf).join('\n')}\n`)
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
  const [program = '', ...args] = [...confinementArgs(folders), ...strace, 'bash', script]
  const output = execFileSync(program, args, { cwd: folders.workFolder, env: environmentOf(folders), encoding: 'utf8' })
  const exitCodes = new Map(output.split('\n').map((line) => line.split(' ') as [string, string]))
  const parts = readFileSync(trace, 'utf8').split(/^.*"haft-example".*$/m)
  return commands.map((command, index) => ({
    command,
    exitCode: Number(exitCodes.get(String(index)) ?? -1),
    violations: (parts[index + 1] ?? 'no trace').split('\n').filter((line) => isViolation(line, folders.workFolder)),
  }))
}

/** The lines that run one command, after a marker program that does nothing but separate the commands in the trace. */
function scriptLinesOf(command: string, index: number): string {
  const quoted = `'${command.replaceAll("'", "'\\''")}'`
  return `/bin/true haft-example ${index}\ntimeout 30 bash -c ${quoted} </dev/null >/dev/null 2>&1\necho "${index} $?" >&3`
}

function isViolation(line: string, workFolder: string): boolean {
  if (/\bexecve(at)?\(/.test(line)) return line.includes(`"${workFolder}`) || /execve\("[^/]/.test(line)
  if (/\bconnect\(/.test(line)) return !HARMLESS_SOCKETS.test(line)
  if (/\bopen(at|at2)?\(/.test(line))
    return /O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/.test(line) && !HARMLESS_FILES.test(line)
  // Signal 0 only checks whether a process exists; timeout kills its own group.
  if (/\b(kill|tgkill)\(/.test(line)) return !/, 0\)|kill\(0, |SIGCONT|SIGTERM/.test(line)
  return /^\d+\s+[a-z0-9_]+\(/.test(line)
}

function confinementArgs({ workFolder, home, traceFolder }: ObservedFolders): readonly string[] {
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
  const binds = [workFolder, home, traceFolder].flatMap((folder) => ['--bind', folder, folder])
  const bwrapArgs = [...root, ...binds, '--unshare-net', '--unshare-pid', '--chdir', workFolder]
  try {
    accessSync('/usr/bin/bwrap')
    execFileSync('bwrap', [...bwrapArgs.slice(1), 'true'], { stdio: 'ignore' })
    return bwrapArgs
  } catch {
    // Without bubblewrap the trace is the only check.
    return []
  }
}

function environmentOf({ home }: ObservedFolders): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
    HOME: home,
    USER: 'dev',
    LC_ALL: 'C.UTF-8',
    TERM: 'dumb',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    ...quietGitEnvironment,
  }
}
