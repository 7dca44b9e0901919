// The pages that every look and every audit goes through. A room adds its own here.
import { addPerson, freshName, gateway, opener, signedIn } from "./browser.mjs";
import { desk, plain } from "./desk.mjs";

/** Somebody to look at, with something in every list. */
export async function furnish(browser) {
  const { page, context } = await signedIn(browser);
  const name = freshName("li.wei");
  await addPerson(page, { name, password: "a first password", email: "li.wei@lab.example", groups: "lab_a, vision" });
  await context.close();
  return [
    { name: "home", path: "/" },
    { name: "jobs", path: "/jobs" },
    { name: "jobs-new", path: "/jobs/new" },
    { name: "jobs-train", path: "/jobs/train" },
    { name: "jobs-new-template", path: "/jobs/new?template=resnet50-ascend-8" },
    { name: "jobs-new-templates", path: "/jobs/new", open: opener("templates") },
    { name: "templates", path: "/jobs/templates" },
    { name: "jobs-none", path: "/jobs?q=nobody-has-such-a-job" },
    { name: "jobs-sorted", path: "/jobs?state=running&sort=longest" },
    { name: "virtual-clusters", path: "/virtual-clusters" },
    { name: "virtual-cluster-add", path: "/virtual-clusters", open: opener("new-cluster") },
    { name: "people", path: "/people" },
    { name: "people-none", path: "/people?search=nobody-has-such-a-name" },
    { name: "people-add", path: "/people", open: opener("new-person") },
    { name: "person", path: `/people/${name}` },
    { name: "person-delete", path: `/people/${name}`, open: opener("delete") },
    { name: "profile", path: "/profile" },
    { name: "profile-token", path: "/profile", open: opener("new-token") },
    { name: "profile-key", path: "/profile", open: opener("new-key") },
    { name: "menu", path: "/", open: "button.whoami" },
    ...(await jobPlaces()),
    ...(await cataloguePlaces()),
    { name: "apps-reached", path: "/endpoints" },
    { name: "api-reference", path: "/api-reference" },
    { name: "not-found", path: "/there-is-nothing-here", failing: true },
  ];
}

/** An entry of each catalogue, which stay for the next look. */
async function cataloguePlaces() {
  const { token } = await desk();
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  async function add(catalogue, entry) {
    const body = JSON.stringify({ name: freshName("looked"), description: "To be looked at", ...entry });
    const added = await fetch(`${gateway}/api/v2/${catalogue}`, { method: "POST", headers, body });
    return `/${catalogue}/${(await added.json()).id}`;
  }
  const image = { repository: "registry.example.org/lab/mindspore", tags: ["2.3-cann8", "2.2"], device: "ascend" };
  return [
    { name: "datasets", path: "/datasets" },
    { name: "dataset", path: await add("datasets", { path: "s3://lab/looked/at/", bytes: 170_000_000 }) },
    { name: "image", path: await add("images", image) },
    { name: "image-new", path: "/images/new" },
  ];
}

/** Jobs in the states that look most unlike one another. */
async function jobPlaces() {
  const { submit, until } = await desk();
  const name = (stem) => freshName(stem).replaceAll("-", "_");
  const [failed, running, waiting, retried] = ["cifar10", "resnet50", "imagenet", "flaky"].map(name);
  const trace = "echo epoch 1; echo \"ModuleNotFoundError: No module named 'torchvision'\"; exit 1";
  const [ofFailed, ofRunning, ofWaiting, ofRetried] = [
    await submit(plain(failed, trace)),
    await submit(plain(running, "sleep 600", { taskNumber: 3 })),
    await submit(plain(waiting, "true", { cpuNumber: 100_000 })),
    await submit(plain(retried, "exit 3", { retryCount: 2 })),
  ];
  await until(failed, "FAILED");
  await until(running, "RUNNING");
  await until(retried, "FAILED");
  return [
    { name: "job-failed", path: `/jobs/${ofFailed}` },
    { name: "job-running", path: `/jobs/${ofRunning}` },
    { name: "job-waiting", path: `/jobs/${ofWaiting}` },
    { name: "job-stop", path: `/jobs/${ofRunning}`, open: opener("stop") },
    { name: "job-tasks", path: `/jobs/${ofFailed}?tab=tasks&role=main&index=0` },
    { name: "job-history", path: `/jobs/${ofRetried}?tab=history` },
    { name: "job-attempt", path: `/jobs/${ofRetried}?attempt=0` },
    { name: "job-config", path: `/jobs/${ofRunning}?tab=config` },
  ];
}

export const OUTSIDE = [
  { name: "sign-in", path: "/sign-in" },
  { name: "api-reference-outside", path: "/api-reference" },
  { name: "set-up-over", path: "/set-up?token=long-gone", failing: true },
];

/** The one-time link of a gateway that nobody has set up yet; the launcher starts one for the journeys. */
export const setUpLink = process.env.SLUICE_SET_UP;
