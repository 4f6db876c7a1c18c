/** Whether a run may start in bypassPermissions mode. The root user may do so only inside a sandbox. */
export function canStartInBypass({
  isRoot,
  isSandboxed,
}: {
  readonly isRoot: boolean
  readonly isSandboxed: boolean
}): { readonly canStart: true } | { readonly canStart: false; readonly message: string } {
  if (isRoot === false || isSandboxed === true) return { canStart: true }
  return {
    canStart: false,
    message:
      'bypassPermissions cannot be used as root outside a sandbox. Run as another user, or inside a sandbox (set HAFT_SANDBOX=1 there).',
  }
}
