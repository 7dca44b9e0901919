// OpenPAI's own client from npm, unchanged, against this gateway.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { admin, freshName, gateway, openBrowser, visitor } from "./browser.mjs";

const { PAIV1, PAIV2 } = createRequire(import.meta.url)("@microsoft/openpai-js-sdk");
const PASSWORD = "a first password";
const client = (more) => new PAIV2.OpenPAIClient({ pai_uri: gateway, username: admin.name, ...more });
const boss = () => client({ password: admin.password });
const word = (stem) => freshName(stem).replaceAll("-", "_");

async function refusal(promise) {
  const fault = await promise.then(
    () => assert.fail("this was to be refused"),
    (error) => error,
  );
  return [fault.status, fault.data?.code, fault.message];
}

test("the_sdk_signs_in_and_out", async () => {
  const pai = boss();
  const info = await pai.authn.basicLogin(admin.name, admin.password, 4000);
  assert.equal(info.user, admin.name);
  assert.equal(info.admin, true);
  const withToken = client({ token: info.token });
  assert.equal((await withToken.user.getUser(admin.name)).username, admin.name);
  assert.equal((await withToken.authn.basicLogout()).message, "Logout successfully");
  const [status, code] = await refusal(withToken.user.getUser(admin.name));
  assert.deepEqual([status, code], [401, "UnauthorizedUserError"]);
});

test("the_sdk_is_refused_in_openpai_s_words", async () => {
  const pai = boss();
  assert.deepEqual(await refusal(pai.authn.basicLogin("nonexistentuser", PASSWORD, 4000)), [
    400,
    "NoUserError",
    "User nonexistentuser is not found.",
  ]);
  assert.deepEqual(await refusal(pai.authn.basicLogin(admin.name, "not the password", 4000)), [
    400,
    "IncorrectPasswordError",
    "Password is incorrect.",
  ]);
  assert.deepEqual(await refusal(client({ token: "no token" }).user.getAllUser()), [
    401,
    "UnauthorizedUserError",
    "Your token is invalid.",
  ]);
});

test("the_sdk_manages_users", async () => {
  const { user } = boss();
  const username = freshName("sdk");
  const created = await user.createUser({ username, password: PASSWORD, email: "sdk@lab.example", admin: false });
  assert.equal(created.message, "User is created successfully");
  const [status, code] = await refusal(user.createUser({ username, password: PASSWORD }));
  assert.deepEqual([status, code], [409, "ConflictUserError"]);
  assert.equal((await user.getUser(username)).email, "sdk@lab.example");
  await user.updateUser({ username, email: "new@lab.example" });
  assert.equal((await user.getUser(username)).email, "new@lab.example");
  assert.ok((await user.getAllUser()).some((other) => other.username === username));

  const own = new PAIV2.OpenPAIClient({ pai_uri: gateway, username, password: PASSWORD });
  const [notMine] = await refusal(own.user.deleteUser(admin.name));
  assert.equal(notMine, 403);

  assert.equal((await user.deleteUser(username)).message, "user is removed successfully");
  const [, gone] = await refusal(user.getUser(username));
  assert.equal(gone, "NoUserError");
});

test("the_sdk_manages_groups", async () => {
  const { group, user } = boss();
  const groupname = word("sdk");
  const username = freshName("member");
  await group.createGroup({ groupname, description: "made by the SDK" });
  assert.equal((await group.getGroup(groupname)).description, "made by the SDK");
  assert.ok((await group.getAllGroup()).some((other) => other.groupname === groupname));
  await user.createUser({ username, password: PASSWORD });
  await user.updateUserGroup(username, groupname);
  assert.deepEqual(
    (await group.getGroupMembers(groupname)).map((member) => member.username),
    [username],
  );
  await user.deleteUserGroup(username, groupname);
  assert.deepEqual(await group.getGroupMembers(groupname), []);
  await user.updateUserGrouplist(username, [groupname]);
  assert.deepEqual((await user.getUser(username)).grouplist, [groupname]);
  await user.deleteUser(username);
  await group.deleteGroup(groupname);
  const [, gone] = await refusal(group.getGroup(groupname));
  assert.equal(gone, "NoGroupError");
});

test("the_sdk_makes_application_tokens_that_may_not_manage_anybody", async () => {
  const pai = boss();
  const { token } = await pai.token.createApplicationToken();
  assert.ok((await pai.token.getTokens()).tokens.length > 0);
  const program = client({ token });
  assert.equal((await program.user.getUser(admin.name)).username, admin.name);
  const [status, , message] = await refusal(program.user.createUser({ username: word("x"), password: PASSWORD }));
  assert.deepEqual([status, message], [403, "Applications are not allowed to do this operation."]);
  await pai.token.deleteToken(token);
  const [gone] = await refusal(program.user.getUser(admin.name));
  assert.equal(gone, 401);
});

const protocol = (name, command, { retries = 0 } = {}) => ({
  protocolVersion: 2,
  name,
  type: "job",
  jobRetryCount: retries,
  prerequisites: [{ name: "image", type: "dockerimage", uri: "none" }],
  taskRoles: {
    worker: {
      instances: 1,
      dockerImage: "image",
      resourcePerInstance: { cpu: 0, memoryMB: 50, gpu: 0, ports: { model_server: 1 } },
      commands: [command],
    },
  },
});

async function until(job, name, state) {
  for (;;) {
    const found = await job.getJob(admin.name, name);
    if (found.jobStatus.state === state) return found;
    await new Promise((later) => setTimeout(later, 50));
  }
}

test("the_sdk_submits_a_job_and_follows_it_to_its_end", async () => {
  const { job, jobHistory, virtualCluster, storage, kubernetes } = boss();
  const name = word("sdk");
  const config = protocol(name, "sleep 1000");
  assert.equal((await job.createJob(config)).status, 202);
  const [status, code, message] = await refusal(job.createJob(config));
  assert.deepEqual([status, code, message], [409, "ConflictJobError", `Job ${admin.name}~${name} already exists.`]);

  const { totalCount, data } = await job.listJobs({ username: admin.name, keyword: name, withTotalCount: true });
  assert.deepEqual([totalCount, data[0].name], [1, name]);
  const running = await until(job, name, "RUNNING");
  assert.match(running.taskRoles.worker.taskStatuses[0].containerPorts.model_server, /^\d+$/);
  assert.equal((await job.getJob(admin.name, name, 0)).jobStatus.attemptId, 0);
  assert.equal((await job.getTask(admin.name, name, 0, "worker", 0)).attempts.length, 1);
  assert.equal((await job.getJobConfig(admin.name, name)).name, name);
  assert.ok((await job.listEvents(admin.name, name)).totalCount > 2);
  const warnings = await job.listEvents(admin.name, name, { type: "Warning" });
  assert.deepEqual(warnings, { totalCount: 0, data: [] });
  assert.equal((await jobHistory.getJobAttemptsHealthz(admin.name, name)).status, "OK");

  await job.addTag(admin.name, name, "kept");
  assert.deepEqual((await job.listJobs({ tagsContain: "kept", keyword: name }))[0].tags, ["kept"]);
  await job.deleteTag(admin.name, name, "kept");
  const [, noTag] = await refusal(job.deleteTag(admin.name, name, "kept"));
  assert.equal(noTag, "NoTagError");

  await job.updateJobExecutionType(admin.name, name, "STOP");
  const stopped = await until(job, name, "STOPPED");
  assert.equal(stopped.jobStatus.appExitSpec.phrase, "StopFrameworkRequested");
  await job.updateJobExecutionType(admin.name, name, "START");
  await until(job, name, "RUNNING");
  await job.updateJobExecutionType(admin.name, name, "STOP");
  await until(job, name, "STOPPED");
  assert.deepEqual(
    (await jobHistory.getJobAttempts(admin.name, name)).map((attempt) => [
      attempt.jobStatus.attemptId,
      attempt.jobStatus.attemptState,
    ]),
    [
      [1, "STOPPED"],
      [0, "STOPPED"],
    ],
  );

  const [, noJob] = await refusal(job.getJob(admin.name, "nosuchjob"));
  assert.equal(noJob, "NoJobError");
  assert.ok((await virtualCluster.listVirtualClusters()).default);
  assert.ok((await virtualCluster.getVirtualCluster("default")).resourcesTotal.cpu > 0);
  assert.equal(typeof (await virtualCluster.getVirtualClusterSkuTypes("default")), "object");
  const shares = (await storage.getStorages()).storages;
  assert.deepEqual(
    shares.map((share) => share.name),
    ["data", "gdata"],
  );
  assert.equal((await storage.getStorage("gdata")).name, "gdata");
  const [, noStorage] = await refusal(storage.getStorage("nosuchstorage"));
  assert.equal(noStorage, "NoStorageError");
  assert.equal((await kubernetes.getK8sNodes()).kind, "NodeList");
  assert.equal((await kubernetes.getK8sPods()).kind, "PodList");
});

test("the_sdk_reads_the_attempts_of_a_job_and_what_its_task_printed", async () => {
  const { job, jobHistory } = boss();
  const name = word("history");
  await job.createJob(protocol(name, "echo to the log; echo a mistake >&2; exit 3", { retries: 1 }));
  await until(job, name, "FAILED");
  const [last, first] = await jobHistory.getJobAttempts(admin.name, name);
  assert.deepEqual([last.jobStatus.attemptId, first.jobStatus.attemptId], [1, 0]);
  const one = await jobHistory.getJobAttempt(admin.name, name, 0);
  assert.deepEqual([one.jobStatus.attemptState, one.jobStatus.appExitCode], ["FAILED", 255]);
  assert.equal(one.jobStatus.appExitMessages.runtime.originalUserExitCode, 3);
  assert.equal(one.taskRoles.worker.taskStatuses[0].containerExitCode, 255);
  const [none, code] = await refusal(jobHistory.getJobAttempt(admin.name, name, 7));
  assert.deepEqual([none, code], [404, "NoJobError"]);

  const { token } = await boss().authn.basicLogin(admin.name, admin.password, 4000);
  const read = async (uri) => {
    const answer = await fetch(new URL(uri, gateway), { headers: { Authorization: `Bearer ${token}` } });
    assert.ok(answer.ok, `${uri} answers ${answer.status}`);
    return answer.text();
  };
  for (const tail of [undefined, true]) {
    const { locations } = await job.getTaskLogs(admin.name, name, 1, "worker", 0, 0, tail);
    const all = locations.find((log) => log.name === "all");
    assert.equal(await read(all.uri), "to the log\na mistake\n");
  }
  const [missing] = await refusal(job.getTaskLogs(admin.name, name, 1, "worker", 0, 7));
  assert.equal(missing, 404);
});

test("the_sdk_of_version_1_stops_and_starts_but_reads_nothing_as_nobody", async () => {
  const { job } = boss();
  const name = word("first");
  await job.createJob(protocol(name, "sleep 1000"));
  await until(job, name, "RUNNING");
  const old = new PAIV1.OpenPAIClient({ pai_uri: gateway, username: admin.name, password: admin.password });
  await old.job.execute(admin.name, name, "STOP");
  await until(job, name, "STOPPED");
  await old.job.execute(admin.name, name, "START");
  await until(job, name, "RUNNING");
  await old.job.execute(admin.name, name, "STOP");
  // it asks for jobs without its token; OpenPAI told everybody's jobs to anybody
  for (const ask of [() => old.job.list(), () => old.job.get(admin.name, name)])
    assert.equal((await ask().catch((error) => error)).statusCode, 401);
});

/** The requests of OpenPAI's client for VS Code, in its order; it is no package that could be installed here. */
test("the_client_for_vs_code_adds_the_cluster_submits_follows_and_opens_the_portal", async () => {
  const rest = `${gateway}/rest-server/api`;
  const json = async (answer) => ({ status: answer.status, ...(await answer.json()) });
  assert.equal((await fetch(`${gateway}/healthz`)).status, 200);
  const info = await json(await fetch(`${rest}/v2/info`));
  assert.equal(info.authnMethod, "basic");
  const probe = await json(await fetch(`${rest}/v2/jobs/protocolversion/config`));
  assert.notEqual(probe.code, "NoApiError");
  const login = new URLSearchParams({ username: admin.name, password: admin.password, expiration: "4000" });
  const { token } = await json(await fetch(`${rest}/v1/token`, { method: "POST", body: login }));
  const headers = { Authorization: `Bearer ${token}` };

  const name = `${admin.name}_remote_${word("code")}`;
  const free = await json(await fetch(`${rest}/v1/user/${admin.name}/jobs/${name}`, { headers }));
  assert.deepEqual([free.status, free.code], [404, "NoJobError"]);
  const config = protocol(name, "sleep 5h");
  config.extras = {
    "com.microsoft.pai.runtimeplugin": [
      { plugin: "ssh", parameters: { jobssh: true, userssh: { type: "custom", value: "ssh-rsa AAAA" } } },
      { plugin: "teamwise_storage", parameters: { storageConfigNames: [] } },
    ],
  };
  const body = JSON.stringify(config); // YAML too
  const sent = await fetch(`${rest}/v2/jobs`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "text/yaml" },
    body,
  });
  assert.equal(sent.status, 202, await sent.text());
  const listed = await (await fetch(`${rest}/v2/jobs`, { headers })).json();
  assert.ok(listed.some((one) => one.name === name));
  const running = await until(boss().job, name, "RUNNING");
  const [task] = running.taskRoles.worker.taskStatuses;
  assert.match(task.containerPorts.ssh, /^\d+$/);
  assert.ok(task.containerIp);

  const browser = await openBrowser();
  const { page, context } = await visitor(browser);
  await page.goto(`/job-detail.html?username=${admin.name}&jobName=${name}`);
  await page.locator("#name").fill(admin.name);
  await page.locator("#password").fill(admin.password);
  await page.locator("form[action='/sign-in'] button[type=submit]").click();
  await page.waitForURL(`${gateway}/jobs/${admin.name}~${name}`);
  assert.match(await page.locator("h1").innerText(), new RegExp(name));
  await page.goto("/job-list.html?status=Running");
  assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, "/jobs?state=running");
  await context.close();
  await browser.close();
  await boss().job.updateJobExecutionType(admin.name, name, "STOP");
});
