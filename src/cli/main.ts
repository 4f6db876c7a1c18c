import { agent, commands } from './commands.js'
import { EXIT } from './io/exit.js'
import { findHomeFolder } from './io/home-folder.js'
import type { ProcessHost } from './io/process-host.js'
import { StandardOutput } from './io/standard-output.js'
import { runCli } from './run-cli.js'

let host: ProcessHost | undefined
let isDone = false

const output = new StandardOutput((error) => {
  // A reader that closes the pipe early (`haft tools | head -1`) is not an error.
  if (error.code === 'EPIPE') {
    if (host === undefined) process.exit()
    host.onReaderGone()
    return
  }
  writeError(`haft: cannot write the output: ${error.message}\n`)
  process.exit(EXIT.failed)
})

// The event loop is empty although the command has not returned: it waits for something that will never happen.
process.once('beforeExit', () => {
  if (isDone) return
  writeError('haft: internal error: exited while an operation was still pending.\n')
  process.exitCode = EXIT.failed
})
void run()

/** Not top-level await: the bundle is CommonJS. */
async function run(): Promise<void> {
  const code = await runCli(
    {
      args: process.argv.slice(2),
      variables: process.env,
      platform: process.platform,
      homeDir: findHomeFolder(),
      get columns() {
        return output.columns
      },
      out: (text) => output.write(text),
      err: writeError,
      host: async () => {
        host ??= new (await import('./io/process-host.js')).ProcessHost(output)
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

function writeError(text: string): void {
  // If standard error fails, too, only the exit code can report it.
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {})
  process.stderr.write(text)
}
