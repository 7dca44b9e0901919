// OpenPAI's own client from npm, unchanged, against this gateway.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { admin, freshName, gateway } from "./browser.mjs";

const { PAIV2 } = createRequire(import.meta.url)("@microsoft/openpai-js-sdk");
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

test("the_sdk_submits_a_job_and_follows_it_to_its_end", async () => {
  const { job, jobHistory, virtualCluster, storage, kubernetes } = boss();
  const name = word("sdk");
  const config = {
    protocolVersion: 2,
    name,
    type: "job",
    prerequisites: [{ name: "image", type: "dockerimage", uri: "none" }],
    taskRoles: {
      worker: {
        instances: 1,
        dockerImage: "image",
        resourcePerInstance: { cpu: 1, memoryMB: 50, gpu: 0, ports: { model_server: 1 } },
        commands: ["sleep 1000"],
      },
    },
  };
  assert.equal((await job.createJob(config)).status, 202);
  const [status, code, message] = await refusal(job.createJob(config));
  assert.deepEqual([status, code, message], [409, "ConflictJobError", `Job ${admin.name}~${name} already exists.`]);

  const { totalCount, data } = await job.listJobs({ username: admin.name, keyword: name, withTotalCount: true });
  assert.deepEqual([totalCount, data[0].name], [1, name]);
  const until = async (state) => {
    for (;;) {
      const found = await job.getJob(admin.name, name);
      if (found.jobStatus.state === state) return found;
      await new Promise((later) => setTimeout(later, 50));
    }
  };
  const running = await until("RUNNING");
  assert.match(running.taskRoles.worker.taskStatuses[0].containerPorts.model_server, /^\d+$/);
  assert.equal((await job.getJob(admin.name, name, 0)).jobStatus.attemptId, 0);
  assert.equal((await job.getTask(admin.name, name, 0, "worker", 0)).attempts.length, 1);
  assert.equal((await job.getJobConfig(admin.name, name)).name, name);
  assert.ok((await job.listEvents(admin.name, name)).totalCount > 2);
  assert.ok(jobHistory);

  await job.addTag(admin.name, name, "kept");
  assert.deepEqual((await job.listJobs({ tagsContain: "kept", keyword: name }))[0].tags, ["kept"]);
  await job.deleteTag(admin.name, name, "kept");
  const [, noTag] = await refusal(job.deleteTag(admin.name, name, "kept"));
  assert.equal(noTag, "NoTagError");

  await job.updateJobExecutionType(admin.name, name, "STOP");
  const stopped = await until("STOPPED");
  assert.equal(stopped.jobStatus.appExitSpec.phrase, "StopFrameworkRequested");
  await job.updateJobExecutionType(admin.name, name, "START");
  await until("RUNNING");
  await job.updateJobExecutionType(admin.name, name, "STOP");
  await until("STOPPED");

  const [, noJob] = await refusal(job.getJob(admin.name, "nosuchjob"));
  assert.equal(noJob, "NoJobError");
  assert.ok((await virtualCluster.listVirtualClusters()).default);
  assert.equal(typeof (await virtualCluster.getVirtualClusterSkuTypes("default")), "object");
  assert.deepEqual((await storage.getStorages()).storages, []);
  assert.equal((await kubernetes.getK8sNodes()).kind, "NodeList");
});
