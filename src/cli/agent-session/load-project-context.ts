import { join } from 'node:path'
import type { Skill } from '../../contract/tool/context.js'
import { createLookup } from '../../permissions/paths/judge-path.js'
import { findReadRestriction } from '../../permissions/rules/find-read-restriction.js'
import { createNodePathFacts } from '../../ports/paths/node-path-facts.js'
import type { AgentKind } from '../../session/agents/agent-kinds.js'
import type { InstructionFile } from '../../session/instructions/load-instructions.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import { isPathInside } from '../../shared/path-containment.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { warn } from '../io/warn.js'
import type { AgentOptions } from '../options/agent-options.js'
import type { SettingSource } from '../options/program-options.js'
import { listDefinitionFolders, TRUST_ADVICE } from '../tool-session/project-trust.js'

/** Instructions, skills and agent kinds of the user and the project. */
export interface ProjectContext {
  readonly instructions: readonly InstructionFile[]
  readonly skills: readonly Skill[]
  readonly kinds: readonly AgentKind[]
}

const EMPTY_CONTEXT: ProjectContext = { instructions: [], skills: [], kinds: [] }

export async function loadProjectContext(
  io: CommandIo,
  { cwd, homeDir }: CommandHost,
  { projectRoot, isTrusted, permissionContext }: LoadedSettings,
  { isBare, settingSources: sources }: Pick<AgentOptions, 'isBare' | 'settingSources'>,
): Promise<ProjectContext> {
  if (isBare) return EMPTY_CONTEXT
  const onProblem = (problem: string) => warn(io, problem)
  const findRestriction = createRestrictionLookup(permissionContext, { cwd, projectRoot, homeDir })
  // Files in the home folder belong to the user and need no trust.
  const isProjectIgnored = !isTrusted && projectRoot !== homeDir
  const [instructions, skills, kinds, ignoredMessage] = await Promise.all([
    import('../../session/instructions/load-instructions.js').then(({ loadInstructions }) =>
      loadInstructions({
        ...{ cwd, projectRoot, home: io.homeDir, isTrusted: !isProjectIgnored, onProblem, findRestriction },
      }),
    ),
    import('../../session/skills/load-skills.js').then(({ loadSkills }) =>
      loadSkills({ projectRoot, home: homeDir, isTrusted, onProblem, findRestriction }),
    ),
    import('../../session/agents/load-agent-kinds.js').then(({ loadAgentKinds }) =>
      loadAgentKinds({ projectRoot, home: io.homeDir, isTrusted, onProblem, findRestriction }),
    ),
    isProjectIgnored && isUsed('project', sources) ? describeIgnoredFolders(projectRoot) : undefined,
  ])
  if (ignoredMessage !== undefined) onProblem(ignoredMessage)
  const sourceOf = (path: string) => findSource(path, [homeDir, io.homeDir ?? homeDir])
  return {
    instructions: instructions.filter(({ path }) => isUsed(sourceOf(path), sources)),
    skills: skills.filter(({ skill }) => isUsed(sourceOf(skill.folder), sources)),
    kinds: kinds.filter(({ source }) => source === 'built-in' || isUsed(source, sources)),
  }
}

function isUsed(source: SettingSource, sources: readonly SettingSource[] | undefined): boolean {
  return sources?.includes(source) ?? true
}

/** Files in the `.haft` and `.claude` folders of the home folder are the user's. */
function findSource(path: string, homes: readonly string[]): SettingSource {
  const userFolders = homes.flatMap((home) => [join(home, '.haft'), join(home, '.claude')])
  return userFolders.some((folder) => isPathInside(path, folder)) ? 'user' : 'project'
}

/** Returns a function that finds the deny or ask rule for a file that Haft sends to the model without a tool call. */
export function createRestrictionLookup(
  permissions: LoadedSettings['permissionContext'],
  { cwd, projectRoot, homeDir }: { readonly cwd: string; readonly projectRoot: string; readonly homeDir: string },
) {
  const pathContext = { cwd, startDir: cwd, projectDir: projectRoot, homeDir }
  const lookup = createLookup(createNodePathFacts())
  return (path: string) => findReadRestriction(path, permissions, { pathContext, lookup })
}

/** Returns a one-line message about ignored skills and agents of an untrusted project; undefined if there are none. */
async function describeIgnoredFolders(projectRoot: string): Promise<string | undefined> {
  const names = await listDefinitionFolders(projectRoot)
  if (names.length === 0) return undefined
  return `${projectRoot}: ${names.join(', ')} ignored: the project is not trusted (${TRUST_ADVICE}).`
}
