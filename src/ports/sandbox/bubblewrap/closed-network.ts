import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'

/** A network namespace in which only a proxy can be reached. */
export interface ClosedNetwork {
  /** The prefix that runs a program in this network. */
  readonly argvPrefix: readonly string[]
  readonly proxyUrl: string
  close(): void
}

/**
 * The program that opens a port in the new network and passes the listening socket to Haft, so that the proxy itself runs
 * outside.
 */
const HAND_OVER_SCRIPT = `const server = require('net').createServer().listen({ host: '127.0.0.1', port: 0 }, () =>
  process.send({ port: server.address().port, pid: process.ppid }, server, () => process.exit()))`

/** The script that runs until Haft closes its stdin. A network namespace exists only as long as a process runs in it. */
const KEEP_NAMESPACE_OPEN_SCRIPT = '"$0" -e "$1" && exec cat 3>&-'

/** Creates a network namespace in which the proxy listens, without a socket that other programs could reach. */
export async function openClosedNetwork(
  programs: { readonly bubblewrap: string; readonly nsenter: string; readonly searchPath: string },
  proxy: HttpServer,
): Promise<ClosedNetwork> {
  const keeperProcess = spawn(
    programs.bubblewrap,
    // With a private /dev, bubblewrap would use a second user namespace, which does not own the network.
    [
      ...['--unshare-user', '--unshare-net', '--die-with-parent'],
      ...['--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev'],
      ...['--', '/bin/sh', '-c', KEEP_NAMESPACE_OPEN_SCRIPT, process.execPath, HAND_OVER_SCRIPT],
    ],
    { stdio: ['pipe', 'ignore', 'ignore', 'ipc'], env: { PATH: programs.searchPath } },
  )
  const { port, pid, server } = await receiveServer(keeperProcess)
  server.on('connection', (socket) => proxy.emit('connection', socket))
  if (keeperProcess.connected) keeperProcess.disconnect()
  for (const handle of [keeperProcess, server, keeperProcess.stdin as unknown as { unref(): void }]) handle.unref()
  return {
    argvPrefix: [
      ...[programs.nsenter, '--preserve-credentials'],
      ...[`--user=/proc/${pid}/ns/user`, `--net=/proc/${pid}/ns/net`, '--'],
    ],
    proxyUrl: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      keeperProcess.kill('SIGKILL')
    },
  }
}

interface ReceivedServer {
  readonly port: number
  readonly pid: number
  readonly server: Server
}

async function receiveServer(keeper: ChildProcess): Promise<ReceivedServer> {
  const keeperExit = once(keeper, 'exit').then(() => {
    throw new Error('the network for sandboxed commands could not be created')
  })
  const [{ port, pid }, server] = (await Promise.race([once(keeper, 'message'), keeperExit])) as [
    { port: number; pid: number },
    Server,
  ]
  return { port, pid, server }
}
