"""Ways to run an image: podman without root where the machine allows it, and otherwise bubblewrap."""

import json
import os
import shutil
import signal
import subprocess
import tarfile

# The image is one user's, who is not root and has a range of users for its containers.
NOBODY = 65534
RANGE = "200000:65536"


class Image:
    """An image in a file, with what it says about itself."""

    def __init__(self, archive):
        self.archive = archive
        with tarfile.open(archive) as file:

            def blob(digest):
                return file.extractfile("blobs/" + digest.replace(":", "/"))

            index = json.load(file.extractfile("index.json"))
            manifest = json.load(blob(index["manifests"][0]["digest"]))
            self.configuration = json.load(blob(manifest["config"]["digest"]))["config"]
            self.layers = ["blobs/" + layer["digest"].replace(":", "/") for layer in manifest["layers"]]

    def members(self):
        with tarfile.open(self.archive) as file:
            for layer in self.layers:
                with tarfile.open(fileobj=file.extractfile(layer)) as files:
                    yield from files

    def unpack(self, folder):
        with tarfile.open(self.archive) as file:
            for layer in self.layers:
                with tarfile.open(fileobj=file.extractfile(layer)) as files:
                    # Who owns a file shows in members(). Here it is whoever runs this.
                    for member in files:
                        member.uid, member.gid = os.getuid(), os.getgid()
                        files.extract(member, folder, numeric_owner=True)

    @property
    def environment(self):
        return dict(line.split("=", 1) for line in self.configuration["Env"])

    @property
    def command(self):
        return self.configuration["Entrypoint"] + self.configuration["Cmd"]


class Podman:
    name = "podman without root"

    def __init__(self, image, folder):
        self.folder = f"{folder}/podman"
        os.mkdir(self.folder, 0o700)
        os.mkdir(f"{self.folder}/run", 0o700)
        lent = os.environ.get("LENT", "")
        # The programs have their own libraries, which podman does not pass on.
        for name in ("runc", "conmon"):
            with open(f"{self.folder}/{name}", "w") as file:
                libraries = os.environ.get("LD_LIBRARY_PATH", "")
                file.write(f'#!/bin/sh\nLD_LIBRARY_PATH={libraries} exec {shutil.which(name)} "$@"\n')
            os.chmod(file.name, 0o755)
        self.write(
            "containers.conf",
            f'[engine]\ncgroup_manager="cgroupfs"\nevents_logger="file"\nruntime="runc"\n'
            f'conmon_path=["{self.folder}/conmon"]\n[engine.runtimes]\nrunc=["{self.folder}/runc"]\n',
        )
        self.write(
            "storage.conf",
            f'[storage]\ndriver="vfs"\nrunroot="{self.folder}/run/storage"\ngraphroot="{self.folder}/storage"\n',
        )
        policy = "/etc/containers/policy.json"
        self.policy = policy if os.path.exists(policy) else lent + policy
        self.write("registries.conf", "unqualified-search-registries = []\n")
        self.environment = os.environ | {
            "CONTAINERS_CONF": f"{self.folder}/containers.conf",
            "CONTAINERS_STORAGE_CONF": f"{self.folder}/storage.conf",
            "CONTAINERS_REGISTRIES_CONF": f"{self.folder}/registries.conf",
            "HOME": self.folder,
            "XDG_RUNTIME_DIR": f"{self.folder}/run",
        }
        archive = shutil.copy(image.archive, f"{self.folder}/image.tar")
        self.user = self.become_nobody() if os.getuid() == 0 else []
        try:
            self.take(archive)
        except BaseException:
            self.close()
            raise

    def take(self, archive):
        self.image = self.ask("pull", "-q", "--signature-policy", self.policy, f"oci-archive:{archive}").strip()
        # What it was made for, or nothing that follows makes sense.
        self.ask(*self.start("trial", {}, {}), "version")

    def become_nobody(self):
        """Users of their own for containers, in files that only this process and its children see."""
        self.write("subuid", f"nobody:{RANGE}\n")
        for name in ("subuid", "subgid"):
            subprocess.run(["mount", "--bind", f"{self.folder}/subuid", f"/etc/{name}"], check=True)
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", self.folder], check=True)
        return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w") as file:
            file.write(text)

    def arguments(self, *command):
        return [*self.user, "podman", *command]

    def ask(self, *command):
        done = subprocess.run(
            self.arguments(*command), env=self.environment, cwd=self.folder, capture_output=True, text=True, timeout=120
        )
        if done.returncode:
            raise OSError(f"podman {command[0]}: {(done.stderr.strip() or 'no reason').splitlines()[-1]}")
        return done.stdout

    def start(self, name, environment, volumes):
        command = f"run --rm --name {name} --read-only --cap-drop all --network host --no-healthcheck".split()
        # The limits of this machine may be below those that podman asks for.
        command += "--security-opt no-new-privileges --ulimit nofile=4096:4096 --ulimit nproc=1000:1000".split()
        for key, value in environment.items():
            command += ["--env", f"{key}={value}"]
        for volume, place in volumes.items():
            command += ["--volume", f"{volume}:{place}"]
        return [*command, self.image]

    def run(self, name, environment, volumes, log):
        return subprocess.Popen(
            self.arguments(*self.start(name, environment, volumes)),
            env=self.environment,
            cwd=self.folder,
            stdout=log,
            stderr=log,
        )

    def inside(self, name, command):
        return subprocess.run(
            self.arguments("exec", name, *command),
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            timeout=60,
        )

    def stop(self, name, process):
        self.ask("stop", "--time", "20", name)
        return process.wait(30)

    def volume(self, name):
        return self.ask("volume", "inspect", "--format", "{{.Mountpoint}}", name).strip()

    def close(self):
        places = [f"{self.folder}/{name}" for name in ("storage", "run/storage", ".local")]
        # Files of the container's users; and a process that podman leaves behind to hold their namespace.
        for command in (["unshare", "rm", "-rf", *places], ["system", "migrate"]):
            subprocess.run(
                self.arguments(*command), env=self.environment, cwd=self.folder, capture_output=True, timeout=60
            )


class Bubblewrap:
    name = "bubblewrap"

    def __init__(self, image, folder):
        self.image, self.folder = image, f"{folder}/bubblewrap"
        self.running = {}
        os.mkdir(self.folder)
        image.unpack(f"{self.folder}/root")

    def volume(self, name):
        return f"{self.folder}/volume-{name}"

    def arguments(self, environment, volumes, command):
        user = self.image.configuration["User"].split(":")
        arguments = ["bwrap", "--unshare-user", "--uid", user[0], "--gid", user[1], "--unshare-pid", "--as-pid-1"]
        arguments += "--unshare-ipc --unshare-uts --cap-drop ALL --die-with-parent --ro-bind".split()
        arguments += [f"{self.folder}/root", "/", "--proc", "/proc", "--dev", "/dev", "--clearenv"]
        for volume, place in volumes.items():
            os.makedirs(self.volume(volume), exist_ok=True)
            arguments += ["--bind", self.volume(volume), place]
        for key, value in (self.image.environment | environment).items():
            arguments += ["--setenv", key, value]
        return [*arguments, *command]

    def run(self, name, environment, volumes, log):
        read, write = os.pipe()
        arguments = self.arguments(environment, volumes, self.image.command)
        process = subprocess.Popen(
            [arguments[0], "--info-fd", str(write), *arguments[1:]], stdout=log, stderr=log, pass_fds=[write]
        )
        os.close(write)
        with os.fdopen(read) as told:
            child = os.pidfd_open(json.loads(told.read())["child-pid"])
        self.running[name] = (environment, volumes, child)
        return process

    def inside(self, name, command):
        environment, volumes, _ = self.running[name]
        return subprocess.run(self.arguments(environment, volumes, command), capture_output=True, timeout=60)

    def stop(self, name, process):
        # bubblewrap does not pass signals on.
        _, _, child = self.running.pop(name)
        signal.pidfd_send_signal(child, signal.SIGTERM)
        os.close(child)
        return process.wait(30)

    def close(self):
        pass


def engine(image, folder, wanted):
    """The one that is wanted, or the first that works here."""
    if wanted != "bubblewrap":
        try:
            return Podman(image, folder)
        except (OSError, subprocess.SubprocessError, TypeError) as error:
            if wanted:
                raise
            print(f"container: podman cannot be used here: {error}")
    return Bubblewrap(image, folder)
