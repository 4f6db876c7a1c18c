/**
 * The words of the rule language that reach beyond the tool of that name: a restriction on one binds
 * every call that does the same, whichever tool makes it.
 */
export const RULE_FAMILIES = { commands: 'Bash', reads: 'Read', writes: 'Edit' } as const
