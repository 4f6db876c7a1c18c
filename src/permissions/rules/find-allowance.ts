import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { isCommandCovered } from '../../shell/patterns/match-command.js'
import type { CallFacts } from '../facts/call-facts.js'
import { matcherOf } from '../facts/call-matcher.js'
import type { CallCommand, JudgedCommand } from '../facts/judge-command.js'
import type { JudgedPath } from '../paths/judge-path.js'
import { isInside } from '../paths/working-directories.js'
import { type BareRule, type ContentRule, findBareRule, type RuleList } from './compile-rules.js'
import { isDomainCovered } from './domain-pattern.js'
import { isFormCovered } from './match-path.js'

/** Returns the allow rule that covers the whole call, or the first of several rules that cover it together. */
export function findAllowance(list: RuleList, call: CallFacts): MaybePromise<BareRule | undefined> {
  if (list.isEmpty) return undefined
  const bareRule = findBareRule(list, call.allowNames)
  if (bareRule !== undefined) return bareRule
  if (list.contentRules.size === 0 || call.problem !== undefined || call.isExternal) return undefined
  if (call.command !== undefined) return findCommandAllowance(list, call, call.command)
  // Most calls use no file and have no rule for their tool, so they can be decided synchronously.
  const canMatch =
    call.reads.length + call.writes.length > 0 || call.allowNames.some((name) => list.contentRules.has(name))
  if (!canMatch) return undefined
  return findContentAllowance(list, call)
}

async function findContentAllowance(list: RuleList, call: CallFacts): Promise<BareRule | undefined> {
  return (await findPathAllowance(list, call)) ?? (await findMatcherAllowance(list, call))
}

/**
 * Returns the rule that allows a command. Every part of a compound command must be covered. A part that only reads files that
 * may be read needs no rule.
 */
async function findCommandAllowance(
  list: RuleList,
  call: CallFacts,
  command: CallCommand,
): Promise<BareRule | undefined> {
  const rules = selectToolRules(list, call)
  const anyCommandRule = rules.find((rule) => rule.command.kind === 'any')
  if (anyCommandRule !== undefined) return anyCommandRule
  if (command.commands.length === 0) return undefined
  let firstRule: BareRule | undefined
  for (const judgedCommand of command.commands) {
    const { isCovered, rule } = await findCoverage(list, call, command, judgedCommand)
    if (!isCovered) return undefined
    firstRule ??= rule
  }
  return firstRule
}

/** Returns the parts of a call's command that need a rule and have none. */
export async function findUncoveredParts(
  list: RuleList,
  call: CallFacts,
  command: CallCommand,
): Promise<readonly JudgedCommand[]> {
  const answers = await Promise.all(
    command.commands.map((judgedCommand) => findCoverage(list, call, command, judgedCommand)),
  )
  return command.commands.filter((_, index) => answers[index]?.isCovered !== true)
}

interface Coverage {
  readonly isCovered: boolean
  readonly rule?: BareRule | undefined
}

async function findCoverage(
  list: RuleList,
  call: CallFacts,
  command: CallCommand,
  judgedCommand: JudgedCommand,
): Promise<Coverage> {
  const rules = selectToolRules(list, call)
  // A command that was not understood is allowed only by a rule that spells it out completely.
  const candidateRules = command.isUnresolved ? selectExactRules(rules, command) : rules
  const rule = candidateRules.find((candidate) =>
    judgedCommand.asWritten.some((writtenCommand) => isCommandCovered(candidate.command, writtenCommand)),
  )
  if (rule === undefined) return { isCovered: await needsNoRule(list, call, judgedCommand) }
  return { isCovered: await areEffectsCovered(list, call, judgedCommand), rule }
}

function selectExactRules(rules: readonly ContentRule[], { text, commands }: CallCommand): readonly ContentRule[] {
  const normalise = (text: string) => text.trim().split(/ +/).join(' ')
  const normalisedText = normalise(text)
  return commands.length === 1
    ? rules.filter(({ command, content }) => command.kind === 'exact' && normalise(content) === normalisedText)
    : []
}

async function needsNoRule(list: RuleList, call: CallFacts, judgedCommand: JudgedCommand): Promise<boolean> {
  if (
    !judgedCommand.isReadOnly ||
    !judgedCommand.areEffectsKnown ||
    judgedCommand.network ||
    judgedCommand.redirects.length + judgedCommand.writes.length > 0
  )
    return false
  return everyAsync(judgedCommand.reads, (path) => mayRead(list, call, path))
}

/**
 * Whether rules cover the effects of a command. A command rule covers neither redirections nor writes outside the working
 * directories. Those need a path rule.
 */
async function areEffectsCovered(list: RuleList, call: CallFacts, judgedCommand: JudgedCommand): Promise<boolean> {
  if (!canRuleCover(judgedCommand)) return false
  // A program that no table describes may use its input in any way, so a file outside needs a rule for reading.
  if (
    judgedCommand.possible !== undefined &&
    !(await everyAsync(judgedCommand.reads, (path) => mayRead(list, call, path)))
  )
    return false
  return everyAsync(listWritesNeedingRule(call, judgedCommand), (path) =>
    isCoveredBy(selectFamilyRules(list, 'writes'), call, path),
  )
}

/** Whether a command rule alone can cover a part of a command. */
export function isCoverable(call: CallFacts, judgedCommand: JudgedCommand): boolean {
  return canRuleCover(judgedCommand) && listWritesNeedingRule(call, judgedCommand).length === 0
}

/**
 * Whether a command rule may cover this part. The effects of a command that no table describes depend on the files in its
 * folder, so a rule covers it only in the folder in which the script starts.
 */
function canRuleCover({ possible, isElsewhere, writesUnknownFile }: JudgedCommand): boolean {
  return writesUnknownFile !== true && (possible === undefined || isElsewhere !== true)
}

/** Programs for which `a:b` names a file on another machine or in a container. */
const REMOTE_PROGRAM = /(?:^|\/)(?:docker|podman|nerdctl|kubectl|scp|rsync|sftp|ssh|git|docker-compose)$/

function listWritesNeedingRule({ folders }: CallFacts, judgedCommand: JudgedCommand): readonly JudgedPath[] {
  const mayWrite = !judgedCommand.isReadOnly && judgedCommand.possible?.onlyReads !== true
  const possibleParts = REMOTE_PROGRAM.test(judgedCommand.words[0] ?? '') ? [] : judgedCommand.possiblePartPaths
  const writtenPaths = [
    ...judgedCommand.writes,
    ...(mayWrite ? [...judgedCommand.possiblePaths, ...possibleParts] : []),
  ]
  return [...judgedCommand.redirects, ...writtenPaths.filter((path) => !isInside(path, folders))]
}

/** Returns the path rule that covers a call which does nothing but read and write files. */
async function findPathAllowance(list: RuleList, call: CallFacts): Promise<BareRule | undefined> {
  // A tool with `resources` must declare everything that it uses. For a tool with only `getPath`, a rule for the tool is
  // enough.
  const isStated = call.isExact || call.tool.resources === undefined
  if (call.reads.length + call.writes.length === 0 || !isStated) return undefined
  const toolRules = selectToolRules(list, call)
  const isKnown = call.isExact && (call.isReadOnly || call.writes.length > 0)
  const readRules = [...toolRules, ...(isKnown ? selectFamilyRules(list, 'reads') : [])]
  const writeRules = [...toolRules, ...(isKnown ? selectFamilyRules(list, 'writes') : [])]
  const writtenPaths = new Set(call.writes.map((path) => path.originalPath))
  let firstRule: BareRule | undefined
  for (const path of call.writes) {
    const rule = await findCoveringRule(writeRules, call, path)
    if (rule === undefined) return undefined
    firstRule ??= rule
  }
  for (const path of call.reads.filter((readPath) => !writtenPaths.has(readPath.originalPath))) {
    const rule = await findCoveringRule(readRules, call, path)
    if (rule === undefined && !isInside(path, call.folders)) return undefined
    firstRule ??= rule
  }
  return firstRule
}

/**
 * Returns a rule that matches the URL of the call or that the tool's matcher accepts. All paths must be inside the working
 * directories.
 */
async function findMatcherAllowance(list: RuleList, call: CallFacts): Promise<BareRule | undefined> {
  // A matcher receives paths as written, without links resolved, so it must not decide about tools with a path.
  if (call.tool.getPath !== undefined || !arePathsInside(call)) return undefined
  const matcher = await matcherOf(call)
  return selectToolRules(list, call).find(({ content, domain }) => {
    if (domain !== undefined && call.page !== undefined) return isDomainCovered(domain, call.page)
    return matcher?.(content) === true
  })
}

/** Whether a path may be read without approval: it is inside the working directories, or an allow rule covers it. */
export async function mayRead(list: RuleList, call: CallFacts, path: JudgedPath): Promise<boolean> {
  if (isInside(path, call.folders)) return true
  // The content of a command rule is a command, even if it looks like a path, so these rules are skipped.
  const toolRules = call.command === undefined ? selectToolRules(list, call) : []
  return isCoveredBy([...toolRules, ...selectFamilyRules(list, 'reads')], call, path)
}

/** Whether all paths of a call lie in the working directories. */
export function arePathsInside({ reads, writes, folders }: CallFacts): boolean {
  return [...reads, ...writes].every((path) => isInside(path, folders))
}

function selectToolRules(list: RuleList, { allowNames }: CallFacts): readonly ContentRule[] {
  return allowNames.flatMap((name) => list.contentRules.get(name) ?? [])
}

function selectFamilyRules(list: RuleList, family: 'reads' | 'writes'): readonly ContentRule[] {
  return list.contentRules.get(RULE_FAMILIES[family]) ?? []
}

async function isCoveredBy(rules: readonly ContentRule[], call: CallFacts, path: JudgedPath): Promise<boolean> {
  return (await findCoveringRule(rules, call, path)) !== undefined
}

/**
 * Returns the rule that covers the path. A link and its target must both be covered, possibly by two rules; the first is
 * returned.
 */
async function findCoveringRule(
  rules: readonly ContentRule[],
  call: CallFacts,
  path: JudgedPath,
): Promise<BareRule | undefined> {
  let firstRule: BareRule | undefined
  for (const form of path.forms) {
    const rule = await findAsync(rules, async (candidate) => {
      return candidate.path !== undefined && (await isFormCovered(candidate.path, form, path, call))
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
