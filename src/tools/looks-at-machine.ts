import type { SimpleCommand } from '../shell/facts.js'

/** They tell of processes, sockets or mounts, of which a sandbox has its own. */
const PROGRAMS: ReadonlySet<string> = new Set([
  ...['ps', 'pgrep', 'pidof', 'pstree', 'pmap', 'top', 'fuser', 'lsof', 'ipcs', 'lsns'],
  ...['ss', 'netstat', 'ip', 'ifconfig', 'route', 'arp'],
  ...['systemctl', 'loginctl', 'journalctl', 'dmesg', 'mount', 'findmnt'],
])
/** The folder of processes, one of them, and its network and mounts: other files there tell of the machine in a sandbox, too. */
const OWN_PROCESSES = /^\/proc(?:\/?$|\/(?:[\d*?[]|net|mounts))/
const OWN_DEVICES = /^\/dev(?:\/?$|\/(?!null$|zero$|u?random$|std(?:in|out|err)$|fd\/|tty$))/

/** Whether what a command tells of the machine is not true of it in a sandbox. */
export function looksAtMachine(commands: readonly Pick<SimpleCommand, 'canonical' | 'reads'>[]): boolean {
  return commands.some(
    ({ canonical, reads }) =>
      canonical.some(({ text }) => PROGRAMS.has(text.split(' ', 1)[0] ?? '')) ||
      reads.some((path) => OWN_PROCESSES.test(path) || OWN_DEVICES.test(path)),
  )
}
