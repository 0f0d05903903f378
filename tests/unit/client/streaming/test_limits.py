from client.streaming.limits import RequestLimits, RequestPacer


def test_one_packet_a_tick_after_a_burst_of_four() -> None:
    pacer = RequestPacer(RequestLimits(), 0.0)
    sent = 0
    for tick in range(21):
        ready = pacer.available(tick * 0.05)
        pacer.spend(ready)
        sent += ready
    assert sent == 4 + 20


def test_unused_ticks_are_saved_up_to_the_burst_only() -> None:
    pacer = RequestPacer(RequestLimits(), 0.0)
    pacer.spend(4)
    assert pacer.available(0.04) == 0
    assert pacer.available(0.10) == 2
    assert pacer.available(60.0) == 4


def test_a_clock_that_stands_still_gives_nothing() -> None:
    pacer = RequestPacer(RequestLimits(), 5.0)
    pacer.spend(pacer.available(5.0))
    assert pacer.available(5.0) == 0
    assert pacer.available(4.0) == 0
    assert pacer.available(5.0) == 0, "no second is lived through twice"
