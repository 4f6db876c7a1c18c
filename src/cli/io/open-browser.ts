import { spawn } from 'node:child_process'
import { removeSecretVariables } from '../../shared/secret-variables.js'
import { createSystemSearchPath } from '../../system/find-program.js'

/** Programs that open a page, started without a shell so that the URL is not interpreted. */
const BROWSER_COMMANDS: Partial<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens a page in the user's browser, if there is one. */
export function openBrowser(url: string, platform: string): void {
  const [program = '', ...args] = BROWSER_COMMANDS[platform] ?? ['xdg-open']
  const env = { ...removeSecretVariables(process.env, {}), PATH: createSystemSearchPath(process.env.PATH) }
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, env })
  // Without a browser the user can open the printed URL.
  child.once('error', () => {})
  child.unref()
}
