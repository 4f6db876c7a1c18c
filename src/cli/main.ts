import { agent, commands } from './commands.js'
import { EXIT } from './exit-codes.js'
import { homeFolder } from './home-folder.js'
import type { ProcessHost } from './process-host.js'
import { runCli } from './run-cli.js'

// A reader that has seen enough (`haft tools | head -1`) is no failure; a disk that is full is one line.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') {
    if (host === undefined) process.exit()
    host.onReaderGone()
    return
  }
  process.stderr.write(`haft: the output cannot be written: ${error.message}\n`)
  process.exit(EXIT.failed)
})
// With nowhere left to complain, the exit code has to say it all.
process.stderr.on('error', () => {})

let host: ProcessHost | undefined
let isDone = false

// Waiting for something that never comes is no success, though nothing is left to do.
process.once('beforeExit', () => {
  if (isDone) return
  process.stderr.write('haft: ended before it was done: what it waited for never came.\n')
  process.exitCode = EXIT.failed
})
void run()

/** Not at the top: the parts of the command line are loaded by `require`, which waits for nothing. */
async function run(): Promise<void> {
  const code = await runCli(
    {
      args: process.argv.slice(2),
      variables: process.env,
      platform: process.platform,
      homeDir: homeFolder(),
      columns: process.stdout.columns,
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
      host: async () => {
        host ??= new (await import('./process-host.js')).ProcessHost()
        return host
      },
    },
    commands,
    agent,
  )
  isDone = true
  process.exitCode = code
  await host?.exit(code)
}
