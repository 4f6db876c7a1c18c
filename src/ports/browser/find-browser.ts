import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findSystemProgram } from '../../system/find-program.js'

/** Command names of browsers that Playwright can drive, preferred first. */
const BROWSER_COMMANDS: readonly string[] = [
  ...['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  ...['microsoft-edge-stable', 'microsoft-edge'],
]

export interface BrowserSearch {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** Folders that commands may write to. A browser in them is not used. */
  readonly writableFolders: readonly string[]
  readonly platform?: string
}

/** Returns the path of an installed Chromium, Chrome or Edge; undefined if there is none. Runs nothing. */
export function findBrowser(search: BrowserSearch): string | undefined {
  const { variables, writableFolders } = search
  const searchOptions = { searchPath: variables.PATH ?? '', writableFolders }
  for (const command of BROWSER_COMMANDS) {
    const path = findSystemProgram(command, searchOptions)
    if (path !== undefined) return path
  }
  return listKnownPaths(search).find((path) => existsSync(path))
}

function listKnownPaths({ variables, home, platform = process.platform }: BrowserSearch): readonly string[] {
  if (platform === 'darwin')
    return [
      ...['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
        (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
      ),
      ...listPlaywrightBrowsers(
        join(home, 'Library/Caches/ms-playwright'),
        'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
      ),
    ]
  if (platform === 'win32') {
    const roots = [variables.PROGRAMFILES, variables['PROGRAMFILES(X86)'], variables.LOCALAPPDATA]
    const programs = ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe']
    return roots.flatMap((root) => (root === undefined ? [] : programs.map((program) => join(root, program))))
  }
  return listPlaywrightBrowsers(join(home, '.cache/ms-playwright'), 'chrome-linux/chrome')
}

/** Lists the browsers that Playwright has downloaded, newest first. */
function listPlaywrightBrowsers(folder: string, program: string): readonly string[] {
  try {
    const builds = readdirSync(folder).filter((name) => /^chromium-\d+$/.test(name))
    const numberOf = (name: string) => Number(name.slice('chromium-'.length))
    return builds.sort((one, other) => numberOf(other) - numberOf(one)).map((name) => join(folder, name, program))
  } catch {
    // Playwright has downloaded no browser.
    return []
  }
}
