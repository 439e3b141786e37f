"""NVTX ranges from whichever package is here: nvtx, PyTorch or CuPy."""

from contextlib import contextmanager


def _functions():
    try:
        import nvtx
        return nvtx.push_range, nvtx.pop_range
    except ImportError:
        pass
    try:
        from torch.cuda import nvtx
        return nvtx.range_push, nvtx.range_pop
    except ImportError:
        pass
    try:
        from cupy.cuda import nvtx
        return nvtx.RangePush, nvtx.RangePop
    except ImportError:
        return (lambda name: None), (lambda: None)


_push, _pop = _functions()


@contextmanager
def marked(name):
    _push(name)
    try:
        yield
    finally:
        _pop()
