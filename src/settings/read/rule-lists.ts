import type { PermissionBehavior, PermissionUpdate } from '../../contract/permission/result.js'
import { PermissionRuleError, parsePermissionRule } from '../../contract/permission/rule.js'

/**
 * Returns the valid rules of a list, trimmed and without duplicates.
 * An invalid rule is reported. It stays in deny and ask lists, where an invalid rule covers its whole tool.
 */
export function checkRules(
  behavior: PermissionBehavior,
  written: readonly string[],
  onInvalidRule: (message: string, index: number) => void = () => {},
): readonly string[] {
  const taken = new Set<string>()
  for (const [index, rule] of written.entries()) {
    try {
      taken.add(parsePermissionRule(rule).text)
    } catch (error) {
      if (!(error instanceof PermissionRuleError)) throw error
      onInvalidRule(error.message, index)
      if (behavior !== 'allow') taken.add(rule)
    }
  }
  return [...taken]
}

export type RulesUpdate = Extract<PermissionUpdate, { readonly behavior: unknown }>

/** The list after an update; the same array if nothing changes. */
export function changeRules(present: readonly string[], { type, behavior, rules }: RulesUpdate): readonly string[] {
  if (type === 'removeRules') {
    const gone = new Set(rules.map((rule) => rule.trim()))
    const kept = present.filter((rule) => !gone.has(rule.trim()))
    return kept.length === present.length ? present : kept
  }
  const taken = checkRules(behavior, rules)
  if (type === 'replaceRules') return isSameList(present, taken) ? present : taken
  const known = new Set(present.map((rule) => rule.trim()))
  const added = taken.filter((rule) => !known.has(rule.trim()))
  return added.length === 0 ? present : [...present, ...added]
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}
