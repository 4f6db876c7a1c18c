import type { GitSetting } from './parse-git-config.js'

/**
 * The effect of a repository's setting on read-only git commands: `harmless`; `file`, whose value names a file that git
 * reads; `checked`, which another check judges by its value and the command; `unknown`, which needs approval.
 */
export type SettingKind = 'harmless' | 'file' | 'checked' | 'unknown'

/**
 * Sections that only commands with effects read, or whose settings only change how output looks. This includes programs for
 * pagers, which git runs only on a terminal, and for editors, merges, transfers and credentials.
 */
const HARMLESS_SECTIONS = toSet(
  'add advice alias am apply author branch browser bundle checkout clean clone color column commitgraph committer ' +
    'completion credential credentialcache credentialstore difftool fastimport feature fetch fsmonitor gc gitcvs gitweb ' +
    'gpg grep gui guitool help http i18n imap index init instaweb interactive lsrefs mailinfo maintenance man mergetool ' +
    'notes pack pager protocol pull push rebase receive remote remotes repack revert safe sendemail sequence showbranch ' +
    'sparse splitindex ssh stash tag tar trailer transfer uploadarchive uploadpack uploadpackfilter url user versionsort ' +
    'web worktree',
)

/** Sections of other tools, which git does not read. */
const SECTIONS_OF_TOOLS = toSet(
  'absorb branchless bugtraq cola codecommit delta forge gerrit gh ghq git-p4 git-town gitbutler gitflow github gitk ' +
    'gitkraken gitlab gitreview graphite hub machete magit review sourcetree spr stack stgit subrepo svn svn-remote tig ' +
    'vscode',
)

/** Single settings of the sections that read-only commands use. Names are in lower case; `*` means any subsection. */
const SETTING_KINDS: ReadonlyMap<string, SettingKind> = new Map([
  ...createKindEntries('harmless', {
    blame: 'blankboundary coloring date markignoredlines markunblamablelines showemail showroot',
    commit: 'cleanup gpgsign status template verbose',
    core:
      'abbrev alternaterefscommand alternaterefsprefixes askpass autocrlf bare bigfilethreshold checkroundtripencoding ' +
      'checkstat commentchar commentstring commitgraph compression createobject deltabasecachelimit editor eol filemode ' +
      'filesreflocktimeout fscache fsmonitorhookversion fsync fsyncmethod fsyncobjectfiles gitproxy hidedotfiles ignorecase ' +
      'ignorestat logallrefupdates longpaths loosecompression lockfilepid maxtreedepth multipackindex notesref ' +
      'packedgitlimit packedgitwindowsize packedrefstimeout pager precomposeunicode prefersymlinkrefs preloadindex ' +
      'protecthfs protectntfs quotepath repositoryformatversion restrictinheritedhandles safecrlf sharedrepository ' +
      'sparsecheckout sparsecheckoutcone splitindex sshcommand symlinks trustctime unsetenvvars untrackedcache ' +
      'usereplacerefs warnambiguousrefs whitespace',
    diff:
      'algorithm autorefreshindex colormoved colormovedws context dirstat guitool ignoresubmodules indentheuristic ' +
      'interhunkcontext mnemonicprefix noprefix srcprefix dstprefix relative renamelimit renames statgraphwidth ' +
      'statnamewidth suppressblankempty tool trustexitcode wordregex wserrorhighlight',
    'diff.*': 'algorithm binary funcname name trustexitcode wordregex xfuncname',
    extensions: 'compatobjectformat noop noop-v1 preciousobjects refstorage relativeworktrees worktreeconfig',
    'filter.*': 'required',
    format:
      'attach cc coverfromdescription coverletter encodeemailheaders filenamemaxlength forceinbodyfrom from headers ' +
      'mboxrd notes noprefix numbered outputdirectory signature signoff subjectprefix suffix thread to useautobase',
    lfs:
      'access activitytimeout allowincompletepush basictransfersonly batch concurrenttransfers contenttype dialtimeout ' +
      'fetchexclude fetchinclude fetchrecentalways fetchrecentcommitsdays fetchrecentrefsdays fetchrecentremoterefs ' +
      'keepalive lockignoredfiles locksverify pushurl repositoryformatversion setlockablereadonly skipdownloaderrors ' +
      'tlstimeout url',
    'lfs.*': 'access contenttype locksverify pushurl url',
    log: 'abbrevcommit date decorate excludedecoration follow graphcolors initialdecorationset mailmap showroot',
    mailmap: 'blob',
    merge:
      'autostash branchdesc conflictstyle defaulttoupstream directoryrenames ff guitool log renamelimit renames ' +
      'renormalize stat suppressdest tool verbosity verifysignatures',
    // The drivers run in merges, and in `remerge` diffs, which are refused.
    'merge.*': 'driver name recursive',
    rerere: 'autoupdate',
    status:
      'aheadbehind branch displaycommentprefix relativepaths renamelimit renames short showstash showuntrackedfiles',
    submodule: 'active alternateerrorstrategy alternatelocation fetchjobs propagatebranches',
    'submodule.*': 'active branch fetchrecursesubmodules ignore shallow update url',
  }),
  ...createKindEntries('file', {
    blame: 'ignorerevsfile',
    core: 'attributesfile excludesfile',
    diff: 'orderfile',
    format: 'signaturefile',
    fsck: 'skiplist',
    mailmap: 'file',
  }),
  ...createKindEntries('checked', {
    core: 'fsmonitor hookspath virtualfilesystem worktree',
    diff: 'external submodule',
    'diff.*': 'cachetextconv command textconv',
    extensions: 'objectformat partialclone',
    'filter.*': 'clean process smudge',
    format: 'pretty',
    log: 'diffmerges showsignature',
    rerere: 'enabled',
    status: 'submodulesummary',
    submodule: 'recurse',
  }),
])
const CHECKED_SECTIONS = toSet('hook include includeif pretty trace2')

/** Settings that are harmless only with these values. The value `remerge` would run the merge drivers of the repository. */
const HARMLESS_VALUES: Readonly<Record<string, RegExp>> = {
  'diff.submodule': /^short$/,
  'log.diffmerges': /^(off|none|first-parent|1|separate|m|combined|c|dense-combined|cc|on)$/,
  'status.submodulesummary': /^(false|no|off|0|)$/i,
}

/** Returns the effect of a repository's setting on read-only commands. The table follows `git help --config`. */
export function kindOfSetting({ section, subsection, name }: GitSetting): SettingKind {
  if (HARMLESS_SECTIONS.has(section) || SECTIONS_OF_TOOLS.has(section)) return 'harmless'
  if (CHECKED_SECTIONS.has(section)) return 'checked'
  const kind = SETTING_KINDS.get(subsection === '' ? `${section}.${name}` : `${section}.*.${name}`)
  // The other settings of this section are the severities of problems.
  return kind ?? (section === 'fsck' && subsection === '' ? 'harmless' : 'unknown')
}

/** Whether a setting of the repository or the user makes git enter submodules or run merge drivers. */
export function hasUnsafeValue({ section, subsection, name, value }: GitSetting): boolean {
  if (subsection !== '') return false
  const harmlessValues = HARMLESS_VALUES[`${section}.${name}`]
  return harmlessValues !== undefined && !harmlessValues.test(value ?? 'true')
}

/** Returns the setting as `section.subsection.name`. */
export function nameOfSetting({ section, subsection, name }: GitSetting): string {
  return [section, subsection, name].filter((part) => part !== '').join('.')
}

function createKindEntries(
  kind: SettingKind,
  names: Readonly<Record<string, string>>,
): readonly (readonly [string, SettingKind])[] {
  return Object.entries(names).flatMap(([section, list]) =>
    list.split(' ').map((name) => [`${section}.${name}`, kind] as const),
  )
}

function toSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}
