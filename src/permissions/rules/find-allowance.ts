import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { commandIsCovered } from '../../shell/patterns/match-command.js'
import type { CallCommand, CallFacts, JudgedCommand } from '../facts/call-facts.js'
import { matcherOf } from '../facts/call-matcher.js'
import type { JudgedPath } from '../paths/judge-path.js'
import { isInside } from '../paths/working-directories.js'
import { type BareRule, type ContentRule, findBareRule, type RuleList } from './compile-rules.js'
import { domainIsCovered } from './domain-pattern.js'
import { formIsCovered } from './match-path.js'

/** Returns the allow rule that covers the whole call, or the first one if several cover it together. */
export function findAllowance(list: RuleList, call: CallFacts): MaybePromise<BareRule | undefined> {
  if (list.isEmpty) return undefined
  const bare = findBareRule(list, call.allowNames)
  if (bare !== undefined) return bare
  if (list.withContent.size === 0 || call.problem !== undefined || call.isExternal) return undefined
  if (call.command !== undefined) return findCommandAllowance(list, call, call.command)
  // Most calls touch no file and have no rule for their tool: they are decided synchronously.
  const canMatch =
    call.reads.length + call.writes.length > 0 || call.allowNames.some((name) => list.withContent.has(name))
  if (!canMatch) return undefined
  return findContentAllowance(list, call)
}

async function findContentAllowance(list: RuleList, call: CallFacts): Promise<BareRule | undefined> {
  return (await findPathAllowance(list, call)) ?? (await findMatcherAllowance(list, call))
}

/** Every part of a compound command must be covered. A part that only reads permitted files needs no rule. */
async function findCommandAllowance(
  list: RuleList,
  call: CallFacts,
  command: CallCommand,
): Promise<BareRule | undefined> {
  const rules = ownRules(list, call)
  const anyCommandRule = rules.find((rule) => rule.command.kind === 'any')
  if (anyCommandRule !== undefined) return anyCommandRule
  if (command.commands.length === 0) return undefined
  let firstRule: BareRule | undefined
  for (const part of command.commands) {
    const { isCovered, rule } = await coverPart(list, call, command, part)
    if (!isCovered) return undefined
    firstRule ??= rule
  }
  return firstRule
}

/** Returns the parts of the command of a call that need a rule and have none. */
export async function findUncoveredParts(
  list: RuleList,
  call: CallFacts,
  command: CallCommand,
): Promise<readonly JudgedCommand[]> {
  const answers = await Promise.all(command.commands.map((part) => coverPart(list, call, command, part)))
  return command.commands.filter((_, index) => answers[index]?.isCovered !== true)
}

interface Coverage {
  readonly isCovered: boolean
  readonly rule?: BareRule | undefined
}

async function coverPart(
  list: RuleList,
  call: CallFacts,
  command: CallCommand,
  part: JudgedCommand,
): Promise<Coverage> {
  const rules = ownRules(list, call)
  // A command that was not understood is allowed only by a rule that spells out all of it.
  const candidateRules = command.isUnresolved ? exactRulesFor(rules, command) : rules
  const rule = candidateRules.find((each) => part.asWritten.some((written) => commandIsCovered(each.command, written)))
  if (rule === undefined) return { isCovered: await needsNoRule(list, call, part) }
  return { isCovered: await effectsAreCovered(list, call, part), rule }
}

function exactRulesFor(rules: readonly ContentRule[], { text, commands }: CallCommand): readonly ContentRule[] {
  const normalise = (each: string) => each.trim().split(/ +/).join(' ')
  const normalisedText = normalise(text)
  return commands.length === 1
    ? rules.filter(({ command, content }) => command.kind === 'exact' && normalise(content) === normalisedText)
    : []
}

async function needsNoRule(list: RuleList, call: CallFacts, part: JudgedCommand): Promise<boolean> {
  if (!part.isReadOnly || !part.areEffectsKnown || part.network || part.redirects.length + part.writes.length > 0)
    return false
  return everyAsync(part.reads, (path) => mayRead(list, call, path))
}

/** A command rule covers neither redirections nor writes outside the working directories: these need a path rule. */
async function effectsAreCovered(list: RuleList, call: CallFacts, part: JudgedCommand): Promise<boolean> {
  if (!meansTheSame(part)) return false
  return everyAsync(writesNeedingRule(call, part), (path) => isCoveredBy(familyRules(list, 'writes'), call, path))
}

/** Whether a command rule alone can cover a part of a command. */
export function isCoverable(call: CallFacts, part: JudgedCommand): boolean {
  return meansTheSame(part) && writesNeedingRule(call, part).length === 0
}

/**
 * Whether the part means what a rule means that names it. What no table describes depends on the files of its folder, so
 * the rule is bound to the folder that it was written for.
 */
function meansTheSame({ possible, isElsewhere, writesUnknownFile }: JudgedCommand): boolean {
  return writesUnknownFile !== true && (possible === undefined || isElsewhere !== true)
}

function writesNeedingRule({ folders }: CallFacts, part: JudgedCommand): readonly JudgedPath[] {
  const mayWrite = !part.isReadOnly && part.possible?.onlyReads !== true
  const written = [...part.writes, ...(mayWrite ? part.possiblePaths : [])]
  return [...part.redirects, ...written.filter((path) => !isInside(path, folders))]
}

/** Returns the path rule that covers a call that does nothing but read and write files. */
async function findPathAllowance(list: RuleList, call: CallFacts): Promise<BareRule | undefined> {
  // A tool with `resources` must state everything; for a tool with only `getPath`, a rule for the tool is enough.
  const isStated = call.isExact || call.tool.resources === undefined
  if (call.reads.length + call.writes.length === 0 || !isStated) return undefined
  const toolRules = ownRules(list, call)
  const isKnown = call.isExact && (call.isReadOnly || call.writes.length > 0)
  const readRules = [...toolRules, ...(isKnown ? familyRules(list, 'reads') : [])]
  const writeRules = [...toolRules, ...(isKnown ? familyRules(list, 'writes') : [])]
  const writtenPaths = new Set(call.writes.map((path) => path.originalPath))
  let firstRule: BareRule | undefined
  for (const path of call.writes) {
    const rule = await findCoveringRule(writeRules, call, path)
    if (rule === undefined) return undefined
    firstRule ??= rule
  }
  for (const path of call.reads.filter((read) => !writtenPaths.has(read.originalPath))) {
    const rule = await findCoveringRule(readRules, call, path)
    if (rule === undefined && !isInside(path, call.folders)) return undefined
    firstRule ??= rule
  }
  return firstRule
}

/** Returns a rule that the tool's matcher or the URL of the call matches. All paths must lie in the working directories. */
async function findMatcherAllowance(list: RuleList, call: CallFacts): Promise<BareRule | undefined> {
  // A matcher sees paths as written, without resolved links, so it must not decide about calls with a path.
  if (call.tool.getPath !== undefined || !arePathsInside(call)) return undefined
  const matcher = await matcherOf(call)
  return ownRules(list, call).find(({ content, domain }) => {
    if (domain !== undefined && call.url !== undefined) return domainIsCovered(domain, call.url)
    return matcher?.(content) === true
  })
}

/** Whether a path may be read without asking: inside the working directories, or by an allow rule. */
export async function mayRead(list: RuleList, call: CallFacts, path: JudgedPath): Promise<boolean> {
  if (isInside(path, call.folders)) return true
  // The content of a command rule is a command, even if it looks like a path.
  const toolRules = call.command === undefined ? ownRules(list, call) : []
  return isCoveredBy([...toolRules, ...familyRules(list, 'reads')], call, path)
}

/** Whether all paths of a call lie in the working directories. */
export function arePathsInside({ reads, writes, folders }: CallFacts): boolean {
  return [...reads, ...writes].every((path) => isInside(path, folders))
}

function ownRules(list: RuleList, { allowNames }: CallFacts): readonly ContentRule[] {
  return allowNames.flatMap((name) => list.withContent.get(name) ?? [])
}

function familyRules(list: RuleList, family: 'reads' | 'writes'): readonly ContentRule[] {
  return list.withContent.get(RULE_FAMILIES[family]) ?? []
}

async function isCoveredBy(rules: readonly ContentRule[], call: CallFacts, path: JudgedPath): Promise<boolean> {
  return (await findCoveringRule(rules, call, path)) !== undefined
}

/** Link and target must both be covered, possibly by two rules. Returns the first of them. */
async function findCoveringRule(
  rules: readonly ContentRule[],
  call: CallFacts,
  path: JudgedPath,
): Promise<BareRule | undefined> {
  let firstRule: BareRule | undefined
  for (const form of path.forms) {
    const rule = await findAsync(rules, async (each) => {
      return each.path !== undefined && (await formIsCovered(each.path, form, path, call))
    })
    if (rule === undefined) return undefined
    firstRule ??= rule
  }
  return firstRule
}

async function findAsync<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<T | undefined> {
  for (const item of items) if (await test(item)) return item
  return undefined
}

async function everyAsync<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (!(await test(item))) return false
  return true
}
