/** Whether a run may start in a mode that asks about almost nothing. As root that needs a sandbox around it. */
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
      'bypassPermissions does not start as root outside a sandbox. Run as another user, or inside a sandbox (HAFT_SANDBOX=1 tells Haft that there is one).',
  }
}
