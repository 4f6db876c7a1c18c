import type { OrdinaryProgram, OrdinaryUse } from './use.js'
import { createEntries } from './use.js'

const VERBOSITY_FLAGS = '-q --quiet -v --verbose'

const CONTAINER_QUERY: OrdinaryUse = {
  flags: `${VERBOSITY_FLAGS} -a --all -f --follow -t --timestamps --no-trunc -s --size -l --latest --no-stream`,
  values: '--tail -n --since --until --filter --format',
  runsNoFiles: true,
}
const CONTAINER_CHANGE: OrdinaryUse = {
  flags: '-f --force -v --volumes -a --all',
  values: '-t --time',
  runsNoFiles: true,
}
const IMAGE_BUILD: OrdinaryUse = {
  starts: 'docker push, docker pull',
  flags: `${VERBOSITY_FLAGS} --no-cache --pull --load --push`,
  values: '-t --tag -f --file --target --platform --progress --build-arg',
  folders: 'whole',
}
const docker: OrdinaryProgram = {
  subcommands: {
    ...createEntries('ps images logs inspect version info stats top port search history events', CONTAINER_QUERY),
    ...createEntries('network,ls volume,ls system,df image,ls container,ls', CONTAINER_QUERY),
    ...createEntries('pull push tag stop start restart kill rm rmi pause unpause wait', CONTAINER_CHANGE),
    ...createEntries('network,create network,rm volume,create volume,rm system,prune image,prune', CONTAINER_CHANGE),
    ...createEntries('build buildx,build', IMAGE_BUILD),
    'compose,build': { ...IMAGE_BUILD, usesWorkingFolder: true },
    ...createEntries(
      'compose,up compose,down compose,ps compose,logs compose,pull compose,stop compose,start compose,restart',
      {
        flags:
          '-d --detach --build --force-recreate --remove-orphans --no-deps -v --volumes -f --follow --no-cache --pull --wait -a --all',
        values: '--tail --timeout -t --scale',
      },
    ),
    ...createEntries('run exec compose,run compose,exec', {
      flags: '--rm -i -t -d --detach --init -T',
      values: '-p --publish -e --env --name -w --workdir --platform --network -u --user',
      operands: 'scriptName',
      passesOptions: true,
    }),
    login: { values: '-u --username', flags: '--password-stdin', readsInput: true, runsNoFiles: true },
  },
}

const KUBE_VALUES =
  '-n --namespace -l --selector --context -o --output -c --container --tail --since --field-selector --sort-by'
const KUBE: OrdinaryUse = {
  flags: '-A --all-namespaces -w --watch -f --follow -p --previous --show-labels --no-headers --all-containers',
  values: KUBE_VALUES,
  runsNoFiles: true,
}
const kubectl: OrdinaryProgram = {
  options: { values: '-n --namespace --context' },
  subcommands: {
    ...createEntries('get describe logs version cluster-info api-resources explain', KUBE),
    ...createEntries(
      'top,pods top,nodes top,pod top,node rollout,status rollout,history config,get-contexts config,current-context',
      KUBE,
    ),
    ...createEntries('apply delete create scale', {
      flags: '--dry-run --recursive -R --force --all --now --wait',
      values: `-f --filename -k --kustomize --replicas --grace-period --timeout ${KUBE_VALUES}`,
      runsNoFiles: true,
    }),
  },
}

const GH: OrdinaryUse = {
  flags:
    '--draft -d --fill -f --comments -c --squash -s --merge -m --rebase -r --delete-branch --auto --log --log-failed --watch --json',
  values:
    '-R --repo --base -B --head -H --limit -L --state -s --json --assignee -a --author -A --reviewer --label -l --milestone --tag --job -j',
  texts: '--title -t --body -b --notes -n --search -S --jq -q',
  runsNoFiles: true,
  onlyReads: true,
}
const GH_VERBS = ['pr', 'issue', 'run', 'release', 'workflow', 'repo', 'label', 'gist', 'search'].flatMap((noun) =>
  [
    'view',
    'list',
    'status',
    'diff',
    'checks',
    'create',
    'comment',
    'close',
    'reopen',
    'edit',
    'merge',
    'ready',
    'watch',
    'rerun',
  ]
    .filter((verb) => noun !== 'gist' || verb !== 'edit')
    .map((verb) => `${noun},${verb}`),
)
const gh: OrdinaryProgram = {
  subcommands: {
    ...createEntries(GH_VERBS.join(' '), GH),
    ...createEntries('auth,status status', GH),
    'pr,create': { ...GH, starts: 'git push' },
    'pr,checkout': {
      ...{ runsNoFiles: true, folders: 'rewritten', maxOperands: 1 },
      ...{ usesWorkingFolder: true, usesWholeProject: true },
    },
  },
}

const CARGO: OrdinaryUse = {
  flags:
    `${VERBOSITY_FLAGS} -vv --release -r --all --workspace --all-targets --all-features --no-default-features --lib --bins --tests --examples ` +
    '--benches --locked --frozen --offline --no-run --no-deps --no-fail-fast --keep-going --dev --build',
  values:
    '-p --package -F --features --bin --example --test --bench --target -j --jobs --profile --exclude --message-format ' +
    '--color --edition --vers --version',
  configs: '--manifest-path',
  files: 'Cargo.toml Cargo.lock',
  rewrites: '--fix --allow-dirty --allow-staged',
  usesWholeProject: true,
}
const CARGO_RUN: OrdinaryUse = { ...CARGO, passesOperands: true }
const cargo: OrdinaryProgram = {
  options: { flags: VERBOSITY_FLAGS },
  subcommands: {
    ...createEntries('build b check c clippy doc update add remove rm install tree metadata clean', CARGO),
    ...createEntries('new init', { ...CARGO, folders: 'whole' }),
    ...createEntries('test t bench run r', CARGO_RUN),
    fmt: {
      ...{ flags: '--all --check -v', operands: 'none', folders: 'rewritten' },
      ...{ usesWorkingFolder: true, usesWholeProject: true },
    },
  },
}

const GO: OrdinaryUse = {
  flags: '-v -race -short -x -a -json -cover -failfast -benchmem -trimpath -m -u -t -d -all -c',
  values: '-run -bench -count -timeout -tags -cpu -parallel -covermode -coverpkg -mod -p',
  outputs: '-o -coverprofile',
  hasSingleDashOptions: true,
}
const go: OrdinaryProgram = {
  subcommands: {
    ...createEntries('build test vet install get list doc version', GO),
    ...createEntries('mod,tidy mod,download mod,verify mod,init mod,graph mod,why work,sync env', {
      flags: '-v',
      files: 'go.mod go.sum go.work',
      hasSingleDashOptions: true,
    }),
    fmt: { folders: 'rewritten', usesWorkingFolder: true, hasSingleDashOptions: true },
    run: { flags: '-race -v', operands: 'script', hasSingleDashOptions: true },
  },
}

const NODE: OrdinaryUse = {
  flags:
    '--test --test-only --watch --expose-gc --enable-source-maps --no-warnings --no-deprecation --trace-warnings --trace-deprecation ' +
    '--trace-uncaught --throw-deprecation --inspect --inspect-brk --max-old-space-size --stack-trace-limit --stack-size --harmony ' +
    '--experimental-vm-modules --experimental-test-coverage --experimental-strip-types --experimental-transform-types ' +
    '--experimental-modules --experimental-json-modules --experimental-sqlite --allow-natives-syntax --prof --test-update-snapshots ' +
    '--test-force-exit --expose_gc --hash-seed --random-seed --no-opt --predictable --predictable-gc-schedule ' +
    '--interpreted-frames-native-stack --preserve-symlinks --no-experimental-strip-types --single-threaded',
  modules: '-r --require --import --loader --experimental-loader',
  values:
    '--experimental-specifier-resolution --unhandled-rejections --test-reporter --test-concurrency --test-timeout ' +
    '--test-coverage-lines --test-coverage-functions --test-coverage-branches --test-coverage-include --test-coverage-exclude --conditions -C',
  texts: '--test-name-pattern',
  operands: 'script',
  readsInput: true,
}
const SCRIPTS: Readonly<Record<string, OrdinaryUse>> = {
  ...createEntries('node nodejs', NODE),
  ...createEntries('tsx ts-node ts-node-esm tsm jiti esno babel-node', {
    flags: '--watch --no-cache --esm -T --transpile-only --files --swc --no-warnings',
    modules: '-r --require --import --loader',
    values: '-P --project --tsconfig',
    operands: 'script',
    readsInput: true,
  }),
  ...createEntries('python python3 python2', {
    flags: '-u -B -O -s -E -I -q',
    operands: 'script',
    commandOption: '-m',
    readsInput: true,
  }),
  ...createEntries('ruby php', { operands: 'script', readsInput: true }),
  ...createEntries('bash sh zsh', { flags: '-e -u -x', operands: 'script', readsInput: true }),
}

const CURL: OrdinaryUse = {
  flags:
    '-s --silent -S --show-error -f --fail -L --location -I --head -i --include -v --verbose -k --insecure --compressed -4 -6 ' +
    '--http1.1 --http2 -# --progress-bar -G --get -N --no-buffer',
  values: '-X --request -m --max-time --connect-timeout --retry --retry-delay -A --user-agent -u --user',
  texts: '--data-raw',
  dataTexts: '-H --header -d --data --json --data-urlencode',
  downloads: '-o --output -O --remote-name',
  operands: 'urls',
  runsNoFiles: true,
}
const MAKE: OrdinaryUse = {
  flags: '-k --keep-going -s --silent --quiet -B --always-make -n --dry-run -i -w --no-print-directory -j --jobs',
  values: '-j --jobs',
  configs: '-C --directory',
  operands: 'targets',
}

/** Returns the uses of programs with subcommands for containers, code hosts and languages. */
export const createServices = (): Readonly<Record<string, OrdinaryProgram>> => ({
  ...createEntries('docker podman', docker),
  'docker-compose': {
    subcommands: Object.fromEntries(
      Object.entries(docker.subcommands).flatMap(([name, use]) =>
        name.startsWith('compose,') ? [[name.slice(8), use]] : [],
      ),
    ),
  },
  kubectl,
  gh,
  cargo,
  go,
  dotnet: {
    subcommands: createEntries('build test restore run clean publish', {
      flags: '--no-restore --no-build',
      values: '-c --configuration',
      passesOperands: true,
    }),
  },
  swift: { subcommands: createEntries('build test run', { flags: '-v', values: '-c', passesOperands: true }) },
  rails: {
    subcommands: createEntries('server s test routes db:migrate db:seed db:create db:prepare', { values: '-p -b -e' }),
  },
  terraform: {
    subcommands: createEntries('init plan validate fmt output show', {
      files: '.terraform.lock.hcl',
      flags: '-no-color -input=false -check -recursive',
      hasSingleDashOptions: true,
    }),
  },
})

export const createScriptPrograms = (): Readonly<Record<string, OrdinaryUse>> => ({
  ...SCRIPTS,
  ...createEntries('make gmake', MAKE),
  curl: CURL,
  ssh: { flags: '-t -T -q -v -A', values: '-p -l', operands: 'remoteCommand', passesOptions: true, runsNoFiles: true },
  cmake: {
    starts: 'make, ninja',
    flags: '--fresh -j --parallel',
    values: '--target --config -j --parallel',
    configs: '--build -S -B',
    operands: 'targets',
    maxOperands: 1,
  },
  kill: { flags: '-9 -15 -1 -2 -KILL -TERM -HUP -INT', operands: 'numbers', runsNoFiles: true },
  tar: {
    flags: '-c -t -z -j -J -v -a',
    values: '-f --exclude',
    mayOmitDash: true,
    folders: 'whole',
    changesFiles: true,
    runsNoFiles: true,
  },
  ...createEntries('psql mysql sqlite3', {
    values: '-h -U -u -d -p -P --host --user --port',
    operands: 'queries',
    runsNoFiles: true,
    flags: '-c -e -t',
  }),
  wget: {
    flags: '-q --quiet -c --continue -nc -nv --no-check-certificate --no-verbose --show-progress',
    values: '-T --timeout --tries -t',
    outputs: '-O --output-document -P',
    operands: 'urls',
    changesFiles: true,
    runsNoFiles: true,
  },
})
