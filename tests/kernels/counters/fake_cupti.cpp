// A library with CUPTI's names and a version of choice.

extern "C" {
int cuptiGetVersion(unsigned* version) {
  *version = FAKE_VERSION;
  return 0;
}
void cuptiGetResultString() {}
void cuptiSubscribe() {}
void cuptiUnsubscribe() {}
void cuptiEnableCallback() {}
void cuptiActivityRegisterCallbacks() {}
void cuptiActivityEnable() {}
void cuptiActivityDisable() {}
void cuptiActivityFlushAll() {}
void cuptiActivityGetNextRecord() {}
void cuptiActivityGetNumDroppedRecords() {}
void cuptiGetCallbackName() {}
void cuptiFinalize() {}
void cuptiGetTimestamp() {}
}
