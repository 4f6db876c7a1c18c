import { feature } from '../../../contract/build-flags.js'

/** A program that Haft uses, and how to install it. */
export interface Program {
  readonly name: string
  /** Possible command names, preferred first. */
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
    purpose: 'analyses commands in repositories and creates worktrees',
    isRequired: false,
    packages: { apt: 'git', brew: 'git' },
  },
  {
    name: 'bubblewrap',
    commands: ['bwrap'],
    purpose: 'runs shell commands in a sandbox, so that more of them run without asking',
    isRequired: false,
    platforms: ['linux'],
    packages: { apt: 'bubblewrap', brew: '' },
  },
  {
    name: 'nsenter',
    commands: ['nsenter'],
    purpose: 'connects sandboxed commands to allowed domains',
    isRequired: false,
    platforms: ['linux'],
    packages: { apt: 'util-linux', brew: '' },
  },
  ...(feature('PR_TOOLS')
    ? [
        {
          name: 'gh',
          commands: ['gh'],
          purpose: 'accesses pull requests',
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
