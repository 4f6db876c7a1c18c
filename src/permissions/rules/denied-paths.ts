import type { DeniedPattern, DeniedReads } from '../../contract/host/denied-reads.js'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import { foldForRestricting } from '../paths/fold-path.js'
import { type PathContext, startDirOf } from '../paths/normalise-path.js'
import { type CompiledRules, compileRules } from './compile-rules.js'
import { type GlobPart, matchesGlob } from './match-glob.js'
import { baseOf, foldParts, mayMatchBelow } from './match-path.js'
import type { PathPattern } from './path-pattern.js'

/** Lists what deny and ask rules for reading cover. Letter case is ignored, because the disk may ignore it. */
export function listDeniedReads(context: ToolPermissionContext, pathContext: PathContext): DeniedReads {
  const rules = compileRules(context)
  const patterns = (['deny', 'ask'] as const).flatMap((kind) => patternsOf(rules, kind))
  return {
    paths: patterns.flatMap(({ path, isAsked }) =>
      exactPathOf(path, pathContext).map((exactPath) => ({ path: exactPath, isAsked })),
    ),
    patterns: patterns.flatMap(({ path, rule, isAsked }) =>
      listWildcardPatterns(path, pathContext).map((pattern) => ({ ...pattern, rule, isAsked })),
    ),
  }
}

function patternsOf(rules: CompiledRules, kind: 'deny' | 'ask') {
  const foundRules = rules[kind].contentRules.get(RULE_FAMILIES.reads) ?? []
  return foundRules.flatMap(({ path, text }) =>
    path === undefined ? [] : [{ path, rule: text, isAsked: kind === 'ask' }],
  )
}

function exactPathOf(pattern: PathPattern, pathContext: PathContext): readonly string[] {
  const { literalNames, restrictingParts } = pattern
  // A rule for a whole base folder is left out: if the project were hidden, no command could run in it.
  return restrictingParts.length > 1 || literalNames.length === 0 ? [] : [startOf(pattern, pathContext)]
}

function startOf(pattern: PathPattern, pathContext: PathContext): string {
  return (
    [baseOf(pattern, pathContext, startDirOf(pathContext)).replace(/\/$/, ''), ...pattern.literalNames].join('/') || '/'
  )
}

function listWildcardPatterns(
  pattern: PathPattern,
  pathContext: PathContext,
): readonly Omit<DeniedPattern, 'rule' | 'isAsked'>[] {
  const fold = (text: string) => foldForRestricting(text, true)
  const parts = foldParts(pattern.restrictingParts, fold)
  const lastPart = parts.findLast((part): part is Exclude<GlobPart, '**'> => part !== '**')
  if (lastPart === undefined) return []
  return [
    {
      folder: startOf(pattern, pathContext),
      isSpecific: pattern.literalNames.length > 0,
      matchesName: (name) => matchesGlob([lastPart], [fold(name)]),
      matches: (names) => matchesGlob(parts, names.map(fold)),
      mayMatchBelow: (names) => mayMatchBelow(parts, names.map(fold)),
    },
  ]
}
