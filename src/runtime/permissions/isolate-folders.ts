import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { RulesBySource, ToolPermissionContext } from '../../contract/permission/context.js'
import { formatPermissionRule, parsePermissionRule } from '../../contract/permission/rule.js'
import type { IsolatedFolder } from '../../contract/runtime.js'
import { deepFreeze } from '../../shared/deep-freeze.js'
import { isPathInside, toRelativePath } from '../../shared/path-containment.js'
import type { RuntimeFolders } from '../services.js'

type AgentFolders = RuntimeFolders

/** Returns the folders of an agent that works in a copy of the project: paths in the original are mapped to the copy. */
export function isolateFolders(folders: AgentFolders, isolation: IsolatedFolder): AgentFolders {
  const toCopy = (folder: string) => toCopiedFolder(folder, isolation) ?? folder
  return { ...folders, startDir: toCopy(folders.startDir), projectDir: toCopy(folders.projectDir) }
}

/** Returns the folder of the copy that corresponds to a folder of the original; undefined for a folder outside the original. */
export function toCopiedFolder(folder: string, { path, original }: IsolatedFolder): string | undefined {
  const relativePath = toRelativePath(resolveLinks(folder), original)
  if (relativePath === undefined) return undefined
  const copiedFolder = join(path, relativePath)
  // A folder that git does not track is not in the copy.
  return existsSync(copiedFolder) ? copiedFolder : path
}

/**
 * Returns the permissions of an agent that works in a copy of the project. The original project is not a working directory for
 * it. Rules that restrict paths in the original still apply there, although relative paths are now resolved in the copy.
 */
export function isolateContext(
  context: ToolPermissionContext,
  folders: AgentFolders,
  { original }: IsolatedFolder,
  isPathRule: (toolName: string) => boolean,
): ToolPermissionContext {
  const addAnchoredRules = (rules: RulesBySource): RulesBySource =>
    Object.fromEntries(
      Object.entries(rules).map(([source, list]) => [
        source,
        [...list, ...list.flatMap((rule) => anchorRule(rule, folders, isPathRule))],
      ]),
    )
  return deepFreeze({
    ...context,
    alwaysDenyRules: addAnchoredRules(context.alwaysDenyRules),
    alwaysAskRules: addAnchoredRules(context.alwaysAskRules),
    additionalWorkingDirectories: context.additionalWorkingDirectories.flatMap((directory) => {
      const path = resolve(folders.startDir, expandHome(directory.path, folders.homeDir))
      const realPath = resolveLinks(path)
      return isPathInside(realPath, original) || isPathInside(original, realPath) ? [] : [{ ...directory, path }]
    }),
  })
}

/** Returns the path without symbolic links. Git names folders like this, and `original` comes from git. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // It does not exist, so nothing is there that could be written.
    return path
  }
}

/** Returns the rule with its path anchored in the original; empty if its path does not depend on the folder. */
function anchorRule(
  text: string,
  { startDir, projectDir }: AgentFolders,
  isPathRule: (toolName: string) => boolean,
): readonly string[] {
  const rule = readRule(text)
  const content = rule?.content?.trim()
  if (rule === undefined || content === undefined || !isPathRule(rule.toolName)) return []
  if (content.startsWith('//') || content.startsWith('~') || isAbsoluteOnWindows(content)) return []
  const baseFolder = content.startsWith('/') ? projectDir : startDir
  const pattern = content.startsWith('/') ? content : `/${matchesAnyDepth(content) ? '**/' : ''}${content}`
  return [formatPermissionRule({ toolName: rule.toolName, content: `/${escapePattern(baseFolder)}${pattern}` })]
}

function readRule(text: string) {
  try {
    return parsePermissionRule(text)
  } catch {
    // An invalid rule already restricts the whole tool.
    return undefined
  }
}

/** Whether a pattern has no slash, so that it matches at any depth. */
function matchesAnyDepth(content: string): boolean {
  return !content.replace(/\/$/, '').includes('/')
}

function escapePattern(path: string): string {
  return path.replaceAll('\\', '/').replace(/[*?[\]]/g, '\\$&')
}

function isAbsoluteOnWindows(content: string): boolean {
  return /^[A-Za-z]:[\\/]/.test(content)
}

function expandHome(path: string, homeDir: string): string {
  return path === '~' || path.startsWith('~/') ? homeDir + path.slice(1) : path
}
