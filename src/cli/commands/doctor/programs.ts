import { feature } from '../../../contract/build-flags.js'

/** A program that some part of Haft uses, and how to get it. */
export interface Program {
  readonly name: string
  /** Names it may be installed under, best first. */
  readonly commands: readonly string[]
  readonly purpose: string
  readonly isRequired: boolean
  readonly platforms?: readonly string[]
  readonly packages: { readonly apt: string; readonly brew: string }
}

export const PROGRAMS: readonly Program[] = [
  {
    name: 'bash',
    commands: ['bash'],
    purpose: 'runs shell commands',
    isRequired: true,
    platforms: ['linux', 'darwin'],
    packages: { apt: 'bash', brew: 'bash' },
  },
  {
    name: 'git',
    commands: ['git'],
    purpose: 'tells what a command does in a repository, and makes worktrees',
    isRequired: false,
    packages: { apt: 'git', brew: 'git' },
  },
  {
    name: 'bubblewrap',
    commands: ['bwrap'],
    purpose: 'holds shell commands in a sandbox',
    isRequired: false,
    platforms: ['linux'],
    packages: { apt: 'bubblewrap', brew: '' },
  },
  {
    name: 'nsenter',
    commands: ['nsenter'],
    purpose: 'lets commands in the sandbox reach allowed domains',
    isRequired: false,
    platforms: ['linux'],
    packages: { apt: 'util-linux', brew: '' },
  },
  ...(feature('WEB_BROWSER_TOOL')
    ? [
        {
          name: 'chromium',
          commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
          purpose: 'is the browser that WebBrowser drives',
          isRequired: false,
          packages: { apt: 'chromium', brew: '--cask chromium' },
        },
      ]
    : []),
  ...(feature('PR_TOOLS')
    ? [
        {
          name: 'gh',
          commands: ['gh'],
          purpose: 'reaches pull requests',
          isRequired: false,
          packages: { apt: 'gh', brew: 'gh' },
        },
      ]
    : []),
  {
    name: 'PowerShell',
    commands: ['pwsh', 'powershell'],
    purpose: 'runs PowerShell commands',
    isRequired: false,
    platforms: ['win32'],
    packages: { apt: '', brew: '' },
  },
]
