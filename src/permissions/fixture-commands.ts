import { analyseCommand } from '../shell/analyse-command.js'
import type { RepositoryFacts } from '../shell/git/repository-facts.js'
import { createFakePaths, createFixtureTool, decideOn, readStatedCommand } from './fixture-calls.js'

const cwd = '/home/dev/proj'
const bash = createFixtureTool('Bash', { needs: ['shell'], command: readStatedCommand, runsOnlyItsCommand: true })
const repository: RepositoryFacts = {
  problem: null,
  root: cwd,
  settings: [],
  userSettings: [],
  namedFiles: [],
  foreignLinks: [],
  hasIndexHook: false,
  hasUnexaminedFolders: false,
  submodules: [],
}
const otherRepository = { ...repository, problem: 'runs a program' }

/** Decides on a command in a project with a repository, in which all commands are allowed unless a rule says otherwise. */
export async function behaviorOf(command: string, rules: { allow?: string[]; deny?: string[] }): Promise<string> {
  const { behavior } = await decideOn(
    bash,
    { command },
    {
      pathContext: { cwd, homeDir: '/home/dev' },
      shell: {
        analyse: ({ text }, folder) =>
          analyseCommand(text, {
            cwd: folder,
            home: '/home/dev',
            repositories: new Map([
              [cwd, repository],
              [`${cwd}/sub`, repository],
              [`${cwd}/other`, otherRepository],
            ]),
          }),
      },
      paths: {
        ...createFakePaths({ folders: [cwd] }),
        entries: (folder: string) => (folder === cwd ? [`${cwd}/.env`, `${cwd}/package.json`] : []),
      },
      rules: { allow: ['Bash'], ...rules },
    },
  )
  return behavior
}
