"""Works with a repository by a library that is not Git itself.

    CAPABILITY=... python3 clients.py libgit2|dulwich version|clone|shallow|fetch|push ADDRESS FOLDER BRANCH

Prints what the library was told; ends with 1 where it, or the ref's status, says that a push was refused.
"""
import os
import sys


def libgit2(command, address, folder, branch):
    import pygit2
    import pygit2.remote
    from contextlib import contextmanager
    from pygit2.utils import StrArray

    if command == "version":
        return print(f"libgit2 {pygit2.LIBGIT2_VERSION}")
    headers = StrArray([f"Authorization: Bearer {os.environ['CAPABILITY']}"])

    # This binding has no parameter for headers, which the library itself takes.
    def with_headers(options, name):
        @contextmanager
        def wrapped(payload, opts=None):
            with options(payload, opts) as given:
                getattr(given, name).custom_headers = headers.array[0]
                yield given

        return wrapped

    pygit2.remote.git_fetch_options = with_headers(pygit2.remote.git_fetch_options, "fetch_options")
    pygit2.remote.git_push_options = with_headers(pygit2.remote.git_push_options, "push_options")

    refused = []

    class Callbacks(pygit2.RemoteCallbacks):
        def sideband_progress(self, text):
            print(text, end="")

        def push_update_reference(self, ref, message):
            if message:
                refused.append(f"{ref}: {message}")

    if command == "clone":
        repository = pygit2.init_repository(folder)
        repository.remotes.create("origin", address).fetch(callbacks=Callbacks())
        there = repository.lookup_reference("refs/remotes/origin/main").target
        repository.create_reference("refs/heads/main", there)
        repository.set_head("refs/heads/main")
        repository.reset(there, pygit2.GIT_RESET_HARD)
    elif command == "fetch":
        pygit2.Repository(folder).remotes["origin"].fetch(callbacks=Callbacks())
    else:
        ref = f"refs/heads/{branch}"
        pygit2.Repository(folder).remotes["origin"].push([f"{ref}:{ref}"], callbacks=Callbacks())
    say(refused)


def dulwich(command, address, folder, branch):
    import dulwich
    import urllib3
    from dulwich import porcelain
    from dulwich.repo import Repo

    if command == "version":
        return print("dulwich " + ".".join(map(str, dulwich.__version__)))
    pool = urllib3.PoolManager(headers={"Authorization": f"Bearer {os.environ['CAPABILITY']}"})
    told = sys.stdout.buffer
    if command in ("clone", "shallow"):
        depth = 1 if command == "shallow" else None
        porcelain.clone(address, folder, depth=depth, errstream=told, pool_manager=pool)
    elif command == "fetch":
        porcelain.fetch(folder, "origin", errstream=told, pool_manager=pool)
    else:
        from dulwich.client import get_transport_and_path

        client, path = get_transport_and_path(address, pool_manager=pool)
        ref = f"refs/heads/{branch}".encode()
        repository = Repo(folder)
        result = client.send_pack(
            path,
            lambda refs: {ref: repository.refs[ref]},
            repository.generate_pack_data,
            progress=told.write,
        )
        say([f"{name.decode()}: {status}" for name, status in (result.ref_status or {}).items() if status])


def say(refused):
    for line in refused:
        print(line)
    sys.stdout.flush()
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    library, command, *rest = sys.argv[1:]
    {"libgit2": libgit2, "dulwich": dulwich}[library](command, *(rest + [""] * 3)[:3])
