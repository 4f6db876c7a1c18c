import { spawn } from 'node:child_process'

/** The program that shows a page, without a shell that could read something else into its address. */
const OPENERS: Partial<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Shows a page in the person's browser, where there is one. */
export function openBrowser(url: string, platform: string): void {
  const [program = '', ...args] = OPENERS[platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  // Whoever has none follows the address that was printed.
  child.once('error', () => {})
  child.unref()
}
