/** What is wrong, by what bubblewrap says, and what a person can do about it. */
const CAUSES: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR|apparmor/i,
    reason:
      'AppArmor keeps bubblewrap from making user namespaces: install its profile for bwrap (apparmor-profiles), or set kernel.apparmor_restrict_unprivileged_userns=0',
  },
  {
    pattern: /No permissions to creat\w* new namespace|Creating new namespace failed|unprivileged_userns_clone/i,
    reason:
      'user namespaces are switched off: set kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0, or let the container make namespaces',
  },
  {
    pattern: /mount proc|Can't mount proc|Failed to mount \/?proc|pivot_root|make .* slave/i,
    reason:
      'a container or another sandbox around Haft lets bubblewrap mount nothing: give it CAP_SYS_ADMIN, or run Haft outside of it',
  },
  { pattern: /Unknown option/i, reason: 'bubblewrap is too old: version 0.5 or later is needed' },
  {
    pattern: /seccomp/i,
    reason: 'the kernel takes no filter of system calls (seccomp)',
  },
]

/** Says in words why bubblewrap did not start. */
export function probeFailure(complaint: string): string {
  const first = complaint.trim().split('\n')[0]?.slice(0, 200) ?? ''
  const known = CAUSES.find(({ pattern }) => pattern.test(complaint))
  if (known !== undefined) return `${known.reason} (${first})`
  return first === '' ? 'bubblewrap ended without a word' : `bubblewrap does not start: ${first}`
}
