import type { GitSetting } from './parse-git-config.js'
import type { RepositoryFacts } from './repository-facts.js'

/** Settings that git writes into every repository, or that change neither which files are read nor what is run. */
const ORDINARY_SETTINGS: ReadonlySet<string> = new Set(
  [
    'core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode',
    'core.symlinks core.autocrlf core.eol core.safecrlf core.longpaths core.hidedotfiles core.quotepath core.hookspath',
    'core.editor user.name user.email user.signingkey commit.gpgsign tag.gpgsign pull.rebase pull.ff push.default',
    'push.autosetupremote push.followtags init.defaultbranch fetch.prune rebase.autostash color.ui gc.auto rerere.enabled',
    'remote.*.url remote.*.fetch remote.*.pushurl remote.*.tagopt remote.*.prune remote.*.gh-resolved',
    'branch.*.remote branch.*.merge branch.*.rebase branch.*.pushremote branch.*.description branch.*.vscode-merge-base',
  ].flatMap((names) => names.split(' ')),
)

/**
 * Settings of the user that run a program, print more than was asked for or compare commits. They are trusted, but the
 * attributes of a hostile repository could apply them to any file: a filter, for example, may store what it reads.
 */
const UNUSUAL_USER_SETTING =
  /^(?:filter\.|diff\.external$|diff\..+\.(?:textconv|command|cachetextconv)$|log\.(?:showsignature|follow|diffmerges)$|format\.pretty$|pretty\.|submodule\.|trace2\.|hook\.|core\.(?:attributesfile|worktree|alternaterefscommand)$|extensions\.|attr\.)/

/**
 * Whether nothing in a repository could change what the git commands of the audited core do. Without a sandbox, git needs
 * approval in any other repository.
 */
export function isOrdinaryRepository(facts: RepositoryFacts): boolean {
  const { problem, settings, userSettings, namedFiles, foreignLinks, submodules } = facts
  return (
    problem === null &&
    namedFiles.length + foreignLinks.length + submodules.length === 0 &&
    !facts.hasIndexHook &&
    !facts.hasUnexaminedFolders &&
    settings.every((setting) => ORDINARY_SETTINGS.has(withoutSubsection(setting)) && !isBare(setting)) &&
    !userSettings.some(({ section, subsection, name }) =>
      UNUSUAL_USER_SETTING.test(subsection === '' ? `${section}.${name}` : `${section}.${subsection}.${name}`),
    )
  )
}

function withoutSubsection({ section, subsection, name }: GitSetting): string {
  return subsection === '' ? `${section}.${name}` : `${section}.*.${name}`
}

function isBare({ section, name, value }: GitSetting): boolean {
  return section === 'core' && name === 'bare' && value?.toLowerCase() !== 'false'
}
